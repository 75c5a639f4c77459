"""
Words that carry no subject, by language: small talk, and what only frames a question ("tell me", "what happened").

Function words are in ``stopwords``. Two messages that share no more than these are not about the same thing.
"""

from __future__ import annotations

import functools

from consolidation.text.dense_words import glue
from consolidation.text.language import primary_subtag
from consolidation.text.words import content_words, tokens

_WORDS = {
    "en": (
        "absolutely again agree ah alright amazing any anything anyway awesome afternoon back bit bye can care "
        "cheers congrats congratulations continue cool could course day definitely didn didnt doesn doesnt don "
        "dont done enjoy evening everything exactly excellent fine forget fun get glad go going good goodbye "
        "goodnight got great guess haha hahaha happy hello help helpful helps here hey hi hiya hmm hold hope huh "
        "idea indeed interesting just kind know later let lets like ll lol lot love luck make makes may maybe "
        "mean might mind minute moment more morning must need never nevermind nice night no nope not now oh ok "
        "okay one perfect please problem re really right said say second see sense shall should so some something "
        "soon sorry sound sounds start stop sure talk tell than thank thanks then there thing things think thx "
        "time today tomorrow tonight too true try ugh uh um ve very wait want week weekend welcome well would "
        "worries worry wow wrong yeah yep yes yup im ill ive id youre youve youll thats whats hes shes theyre "
        "theres heres whos hows wheres arent cant couldnt hadnt hasnt havent isnt shouldnt wasnt werent wont "
        "wouldnt monday tuesday wednesday thursday friday saturday sunday mondays fridays saturdays sundays about "
        "above across after against along already also although always among around away because before behind "
        "below beside between beyond both down during each either else enough ever every few further inside "
        "instead into less much most near off often once only onto other others out outside over own per quite "
        "rather same since still such through throughout together toward towards under unless until unto up upon "
        "us via whether while whom within without yet happen happened happens happening told give gave given name "
        "named names called call calls last ago list talked talking remind remember remembered currently actually "
        "nowadays these days recently lately first pls quick question new old year years month months big little "
        "btw am all many whole end ended thinking come comes coming came took taken taking went gone wanna gonna "
        "gotta chat chatted chatting discuss discussed "
        "summarise summarised summarize summarized summary recap"
    ),
    "de": (
        "ach ah aha aktuell aktuelle alles alt also anders bald beim bisschen bitte bloß danke dann denn "
        "derzeit doch dran "
        "eben echt eigentlich einfach einmal endlich erinner erinnere erinnerst erstmal erzähl erzähle erzählt "
        "erzählen etwas gab gar geben genannt genau gerade gern gerne gesagt geredet gesprochen gestern gewesen "
        "gibt gib ging glaub glaube gleich gut gute guten hallo halt heißt heisst hey heute hier hin immer "
        "irgendwann irgendwas irgendwie jahr jahre jahren jetzt kannst klar komm kommt kommen letzte letzten "
        "letzter letztes liste los mal mehr meinst momentan morgen morgens monat monate monaten na nachher name "
        "namen namens naja natürlich neu neue neuen neues nicht nichts nie nochmal nochmals nur okay passiert "
        "passierte reden richtig sag sage sagen sagt sagst sagtest schnell schon schön sehr sonst soll später "
        "super tag tage tagen tja toll tschüss überhaupt uhr viel viele vielen vielleicht vorhin wann weiß weiter "
        "welche wieder wirklich woche wochen wohl zeit zuletzt zurzeit zusammen worüber wovon besprochen beredet "
        "gemacht gehabt geschehen "
        "weißt weisst fass fasse fasst zusammenfassung zusammenfassen"
    ),
    "es": (
        "ahora ah algo algún alguna años año ayer bien bueno buenas buenos bastante casi claro cosa cosas cuenta "
        "cuéntame cuánto cuántos da dame decir demás después día días dices dije dijiste dime dijo dado diste "
        "entonces eh empieza estaba exactamente favor fui genial gracias hace hacer haces hacía hago hola hoy "
        "igual jaja jajaja lista llama llamaba llamado llaman llamo luego mal mañana más mejor menos mes meses "
        "mismo momento mucho mucha muchas muchos nada nombre nueva nuevo nuevos nunca oye okay ok otra otro pasa "
        "pasado pasó perfecto poco pon puede puedes puedo primera primero pues quedó quiero recuerda recuérdame "
        "recuerdas saber sabes sé seguro semana semanas siempre sobre solo tal también tampoco tan tanto tarde "
        "tener tenía tengo tiempo tiene tienes toda todas todavía todo todos tras última último últimamente vale "
        "vamos van ver vez veces voy actual actualmente q k xq no sí ni fue fueron era eran hay hemos he ha hablamos "
        "hablando hablado estuvimos comentamos comentado hice hicimos conté contaste charlamos charlado ocurrió "
        "ocurrido sucedió "
        "resume resúmeme resumen resumir"
    ),
    "fr": (
        "ah ai aller alors année années ans appelait appelle aujourd'hui aussi autre autres avant avec beaucoup "
        "bien bon bonjour bonne bonsoir bref ça cela chose choses ci combien comment coucou dans déjà demain "
        "dernier dernière dernièrement derniers dire dis dit disais donc donne donné donner encore enfin ensuite "
        "euh exactement faire fais faisait fait faut fois genre hein heure hier ici jamais jour jours juste là "
        "liste lundi maintenant mais merci mieux mois moment mdr nom nouveau nouvelle nouvelles ok oui ouais "
        "parle parlé parler passe passé passer pense peu peut peux plus pouvoir premier première presque prochain "
        "prochaine quel quelle quelles quels quelque quelqu'un rappelle rappelles rappeler raconte rien salut sais "
        "savoir semaine semaines sinon souvent super sûr tard temps toujours tous tout toute toutes très trop "
        "truc va vais vas veut veux vieux vieille vite voilà voir voit vrai vraiment actuel actuelle actuellement "
        "pas avais avait avons était étais été sommes parlions parlez parlons parlait discuté discutions "
        "arrivé résume résumez résumé résumer"
    ),
    "it": (
        "adesso allora altro anche ancora anno anni appena bene beh bello buono buongiorno chiama chiamava "
        "chiamato ciao cioè cosa cose dai davvero detto dice dici dimmi dire dopo dove fa fai fare fatto forse "
        "giorni giorno già grazie ieri infatti insieme lista magari mai male meglio meno mese mesi mezzo mi molto "
        "momento nessuno niente nome nulla nuova nuovo oggi ok ora ormai parlato però poco poi prima primo "
        "proprio qualche qualcosa quando quanto quasi quello questo ricorda ricordami ricordi sai sempre senti "
        "settimana settimane solo sta stato successo tanto tempo tutta tutte tutti tutto ultima ultimamente "
        "ultimo va vado volta volte vorrei attuale attualmente abbiamo parlavamo raccontato discusso discutevamo "
        "capitato accaduto parlo parla parli parlami parlare "
        "riassumi riassumimi riassunto riassumere riepilogo"
    ),
    "pt": (
        "agora ai ainda algo ali amanhã ano anos antes aqui assim até atual atualmente bem boa bom chama chamava "
        "coisa coisas conta contei cara como depois dia dias disse disseste diz dizer dá ei então era exatamente "
        "fala falamos falei faz fazer fez fiz fui hoje hora ir isso já lá lembra lembras lista logo mais mal "
        "melhor menos mês meses mesmo momento muito nada nome nova novo nunca obrigada obrigado oi olá onde ontem "
        "outra outro passado pode posso pouco pra primeira primeiro qualquer quase quero saber sabe sabes semana "
        "semanas sempre só sobre talvez também tanto tarde tem tempo tenho ter teve toda todas todo todos tudo "
        "última último ultimamente vai vamos ver vez vezes vou a gente vc vcs q pq pro pras pros tb tbm hj né tá tô "
        "dar deu fica ficou mesma contou falou kk kkk kkkk rs conversamos conversado aconteceu acontecido rolou houve "
        "fizemos "
        "resume resuma resumo resumir"
    ),
    "nl": (
        "af al alles alweer als anders nu ook nog maar meer dan dus echt even gaan gaat gedaan geen gebeurd "
        "gebeurde gegeven geheten gezegd goed graag gisteren hallo hebben heel heet heette hier hoi iets ja jaar "
        "jaren keer kun kunnen laatst laatste lijst maand maanden morgen moment naam natuurlijk niet niets nieuw "
        "nieuwe nooit nou oké ooit oud oude over precies sinds soms straks tijd toch toen tot veel vaak verder "
        "vertel verteld vertelde vandaag voor waar week weken weer weet weten wel zeg zeggen zei zo waarover praatten "
        "gepraat spraken gesproken bespraken besproken "
        "vat samenvatting samenvatten samen"
    ),
    "pl": (
        "ale bardzo będzie był była było były chyba coś co czas czasem czy dalej daj dam dni dobra dobry dobrze "
        "dopiero dzień dzięki dziękuję dziś dzisiaj hej imię inne jak jakie jeszcze jest jutro już każdy kiedyś "
        "lata lat lista mam masz miesiąc miesiące mówił mówiłam mówiłem może można mówisz na nazywa nazywał nic "
        "nie nigdy no nowa nowe nowy obecnie ok ostatni ostatnia ostatnio powiedz powiedział powiedziałam "
        "powiedziałem przypomnij pamiętasz raz rok roku rzecz sobie stało stary tak tam teraz też tydzień "
        "tygodnie tylko tu wczoraj wiem wiesz więc wszystko zawsze znowu czym rozmawialiśmy rozmawiałem rozmawiałam "
        "gadaliśmy mówiliśmy działo robiłem robiłam robiliśmy opowiadałem opowiadałam "
        "streść podsumuj streszczenie podsumowanie"
    ),
    "ru": (
        "а ага был была были было будет быть вообще вот все всё всегда всего вчера где год года году давай дай "
        "даже да день дела дни дня еще ещё ждать завтра здесь зовут звали знаю знаешь имя или именно каждый какие "
        "конечно кстати либо лишь лучше месяц месяца много могу может можно надо назад называется наконец "
        "например напомни нет никогда ничего но новая новое новый нужно обычно один ок опять очень первый пока "
        "помнишь последнее последний последняя потом почти правда привет просто пусть раз расскажи рассказывал с "
        "сегодня сейчас скажи сказал сказала сначала снова со совсем спасибо список старый так также там теперь "
        "тогда тоже только тут уже хорошо хочу часто чего чем чтобы что-то это этот говорили разговаривали болтали "
        "обсуждали произошло происходило случилось делал делала делали рассказывала "
        "подытожь резюмируй обобщи резюме"
    ),
    "ar": (
        "أخبرني أريد أعرف أمس أن أنا أنت أو أي أين إلى إن اسم اسمه اسمها الآن الذي التي اليوم بعد بين تعرف ثم جدا حتى "
        "حسنا خبرني ذكرني ذلك سؤال شكرا شيء عام على عن عند عندي غدا في قال قبل قد قل قلت كان كانت كل كم كنت كيف لا لدي "
        "لقد لكن لم لماذا لو لي ليس ما ماذا متى مرحبا مرة مع من منذ نعم هذا هذه هل هناك هو هي و يا يعني "
        "لخص ملخص"
    ),
    "zh": (
        "什么 什么时候 我的 我在 我是 我有 我们 我们的 你的 他的 她的 是什么 叫什么 叫什么名字 在哪里 在哪儿 "
        "哪里 哪儿 哪个 多少 几号 怎么 怎么样 为什么 是不是 有没有 没有 可以 一个 这个 那个 请问 告诉我 现在 "
        "今天 明天 昨天 时候 "
        "总结 概括"
    ),
    "ja": (
        "です ですか ます ますか ました ましたか ません でした でしょう ください ています ていますか "
        "ていました いる いますか ある あります ありますか ない なかった します しています した という "
        "について 私は 私の 私が 私を 僕は 僕の 何ですか 何を 何の 何が は何 の名前 名前は いつですか どこ "
        "どこに どこで どこですか どんな どの どう なぜ 誰 誰が 誰ですか いくらですか いくつ これ それ あれ "
        "この その あの こと もの から まで より けど 今日 明日 昨日 "
        "まとめ まとめて 要約"
    ),
}


def subjectless(language: str) -> frozenset[str]:
    """The words of *language* (a tag such as "en" or "pt-BR") that carry no subject, as ``words.tokens`` has them."""
    return _folded(primary_subtag(language))


def subject_words(text: str, *, language: str) -> dict[str, str]:
    """The words of *text* that say what it is about, each with its stem; possibly none."""
    empty, holding = subjectless(language), glue(text)
    words = content_words(text, language=language).items()
    return {word: stem for word, stem in words if word not in empty and word not in holding}


@functools.cache
def _folded(tag: str) -> frozenset[str]:
    return frozenset(tokens(_WORDS.get(tag, "")))
