"""
Function words, by language: what a text holds whatever it is about.

Written as people write them; ``words`` folds them. Only articles, pronouns, prepositions, conjunctions and auxiliary
verbs: no "not", no "never", nothing a question could turn on. The English list is the one our retrieval was measured
with, plus its contractions.
"""

from __future__ import annotations

STOP_WORDS = {
    "en": (
        "a an and are as at be been but by did do does for from had has have he her his how i if in is it its me my "
        "of on or our she so that the their them they this to was we were what when where which who why will with "
        "would you your i'm i've you're you've you'll you'd they're they've they'll we've it'll"
    ),
    "es": (
        "a al ante aquel aquella aquello como con cual cuando de del desde donde e el ella ellas ellos en entre era "
        "eran eres es esa esas ese eso esos esta estaba estamos estan estar estas este esto estos estoy está están "
        "fue fueron ha había han has hasta hay he la las le les lo los me mi mis muy nos nosotros o os para pero por "
        "porque pues que quien qué quién cómo cuándo dónde cuál se ser si sin sobre son soy su sus también te tu tus "
        "tú u un una unas uno unos usted ustedes y ya yo él"
    ),
    "de": (
        "aber als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des dich die "
        "dies diese diesem diesen dieser dieses dir du ein eine einem einen einer eines er es euch euer für hab habe "
        "haben hast hat hatte hatten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja kann man mein "
        "meine meinem meinen meiner mich mir mit nach noch nun ob oder sein seine seinem seinen seiner sich sie sind "
        "so um und uns unser unsere vom von vor war waren warum was weil welche welcher welches wenn wer werden wie "
        "wieso will wir wird wo würde zu zum zur über"
    ),
    "fr": (
        "a à ai ainsi as au aux avec avez avons avait c' car ce cela ces cet cette ceux chez comme comment d' dans de "
        "des donc dont du elle elles en entre es est et étaient étais était être eu eux il ils j' je l' la là le les "
        "leur leurs lui m' ma mais me mes moi mon n' ne nos notre nous on ont ou où par pour pourquoi qu' quand que "
        "quel quelle quelles quels qui quoi s' sa sans se ses si son sont suis sur t' ta te tes toi ton tu un une "
        "vos votre vous y"
    ),
    "it": (
        "a ad agli ai al alla alle allo anche avere aveva avevo c'è che chi ci col come con cosa cui da dagli dai dal "
        "dalla dalle dallo de degli dei del della delle dello di dove e è ed era erano eri ero essere fra gli ha hai "
        "hanno ho i il in io l' la le lei li lo loro lui ma me mi mia mie miei mio ne negli nei nel nella nelle nello "
        "noi nostra nostro o per perché però più quale quali quando quello questa queste questi questo se sei si sia "
        "siamo siete sono su sua sue sugli sui sul sulla sulle sullo suo suoi te ti tra tu tua tue tuo tuoi un una "
        "uno vi voi"
    ),
    "pt": (
        "a ao aos aquela aquele aquilo as até com como da das de dela dele do dos e é ela elas ele eles em entre era "
        "eram essa esse esta está estão estar estava este estou eu foi foram há isso isto já lhe lhes mais mas me meu "
        "meus minha minhas na nas no nos nós num numa o onde os ou para pela pelas pelo pelos por porque porquê qual "
        "quando que quem são se sem ser seu seus sobre sou sua suas também te tem têm ter tenho teu teus tu tua tuas "
        "um uma umas uns você vocês"
    ),
    "nl": (
        "aan al als ben bent bij dan dat de den der deze die dit door dus een en er had hadden heb hebben hebt heeft "
        "het hem hen hij hoe hun ik in is ja je jij jou jouw jullie kan maar me met mij mijn na naar nog nu of om "
        "omdat onder ons onze ook op over te ten ter toen tot u uit uw van voor waar waarom waren was wat we welke "
        "wel werd wie wij wordt worden zal ze zich zij zijn zo zou"
    ),
    "ru": (
        "а без бы был была были было быть в вам вас ваш весь во вот все всё вы где да для до его ее её если есть еще "
        "ещё же за и из или им их к как какая какие какой когда которая которые который кто ли мне меня мной мой моя "
        "мы на нам нас наш него нее ней них но ну о об он она они оно от по под почему при про с свой себя со так "
        "такой там то тебе тебя того тоже той только том тот ты у уже чем что чтобы чья эта эти это этого этой этом "
        "этот я"
    ),
    "pl": (
        "a aby ale albo bo by był była było były być ci ciebie co czy dla do dlaczego gdy gdzie go i ich ile im ja "
        "jak jaka jaki jakie jako je jego jej jest jestem jesteś już kiedy kto która które który mam masz mi mną mnie "
        "moja moje mój my na nad nam nas nasz nim o od on ona one oni ono oraz po pod przed przez przy są się sobie "
        "swoje swój ta tak tam te tego tej ten też to tobie tu twoja twoje twój ty tych tym u w was we wy z za ze że"
    ),
    "tr": (
        "ama ancak bana bende benden beni benim ben bir biz bizde bizden bize bizi bizim bu buna bunda bundan bunlar "
        "bunu bunun çünkü da de diye dolayı eğer fakat gibi göre hangi hangisi hem için idi ile ise kaç kaçta kadar "
        "kendi kendim kendisi ki kime kimin kimler mi mı mu mü midir mıdır mudur müdür miyim mıyım misin mısın musun "
        "müsün miydi mıydı nasıl ne neden nedir nerede nereden neresi nereye neye neyi niçin niye o olan olarak ona "
        "onda ondan onlar onlara onları onların onu onun oysa sana sen sende senden seni senin siz sizde sizden size "
        "sizi sizin şu şuna şunlar şunu şunun üzere var ve veya veyahut ya yani zaman"
    ),
    "hi": (
        "अगर अपना अपनी अपने आप आपका आपकी आपके आपको आपने इन इनका इनकी इनके इन्हें इस इसका इसकी इसके इसने इसमें इसलिए "
        "इसे उन उनका उनकी उनके उन्हें उन्होंने उस उसका उसकी उसके उसको उसने उसमें उसे एक एवं और कब कहाँ का कि कितना "
        "कितनी कितने किन किस किसका किसकी किसके किसको किसने किसे की के कैसा कैसी कैसे को कौन कौनसा कौनसी क्या क्यों "
        "क्योंकि जब जिन जिन्हें जिस जिसका जिसकी जिसके जिसने जिसमें जिसे जो तक तथा तुम तुमने तुम्हारा तुम्हारी "
        "तुम्हारे तुम्हें तू तेरा तेरी तेरे तो था थी थीं थे द्वारा ने पर बारे भी मगर मुझको मुझसे मुझे में मेरा मेरी "
        "मेरे मैं मैंने यदि यह या ये रहा रही रहे लिए लेकिन वह वाला वाली वाले वे वो साथ से हम हमको हमने हमारा हमारी "
        "हमारे हमें ही हुआ हुई हुए हूँ है हैं हो होता होती होते"
    ),
    "ko": (
        "것 그 그가 그건 그것 그게 그녀 그녀가 그녀는 그녀의 그는 그들 그들은 그들이 그래서 그러나 그런 그런데 "
        "그리고 그의 근데 나 나는 나도 나를 나에게 나의 나한테 난 내 내가 너 너는 너도 너를 너에게 너의 너한테 넌 "
        "네 네가 누가 누구 누구를 누구야 누구예요 누구와 누구의 누구지 니가 대한 대해 때문에 또는 또한 만약 몇 무슨 "
        "무엇 무엇을 무엇이 뭐 뭐가 뭐야 뭐예요 뭐지 뭔지 뭘 및 어느 어디 어디가 어디서 어디야 어디에 어디에서 "
        "어디예요 어디지 어떤 어떻게 언제 언제야 언제예요 언제지 언제부터 얼마 얼마나 얼마야 얼마예요 여기 왜 우리 "
        "우리가 우리는 우리의 위해 이 이건 이것 이게 이다 이런 이야 이에요 인가요 입니까 입니다 있나 있는 있니 있다 "
        "있습니까 있습니다 있어 있어요 있었어 있지 저 저건 저것 저게 저기 저는 저도 저를 저에게 저의 저한테 제 제가 "
        "하고 하지만 혹은"
    ),
    "ar": (
        "إذ إذا إلى إليه إليها أكون أن إن أنا أنت أنتم أنتن أنني إنه إنها أو أولئك أي أية أين ب به بها بهم بي بين "
        "بك بنا تكون تلك ثم حتى حول خلال ذلك سوف عن عند عندك عندما عندنا عنده عندها عندي عني عنه عنها على عليه عليها "
        "ف في فيه فيها فيهم قد كان كانت كانوا ك كأن كم كما كنا كنت كي كيف ل لأن لأنه لأنها لأني لدى لدي لديك لديه "
        "لديها لقد لك لكم لكن لكي لماذا لنا له لها لهم لو لي ما ماذا متى مع معك معنا معه معها معي من منذ منك منه منها "
        "مني نحن هؤلاء هذا هذه هل هم هما هن هو هي و وأنا وأن وإن وفي وقد وكان وكانت وكنت ولكن وما ومع ومن وهذا وهذه "
        "وهم وهو وهي يا يكون الذي الذين التي اللواتي "
        # … as people say it from Morocco to Iraq
        "شو ايش وش شنو مين منو وين فين منين لوين ايمتى امتى قديش ليش ليه شلون ازاي هاد هاي هادا هادي هيدا هيدي هيك "
        "هون هلق "
        "هلأ هسا لسا لسه رح راح بدي بدك بدنا مش مو اللي يلي عشان علشان مشان كمان زي متل الي اله الها النا عنا كتير "
        "تبع بس "
        "والله طيب ايوه"
    ),
}  # fmt: skip
