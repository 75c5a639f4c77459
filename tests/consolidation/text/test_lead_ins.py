"""What begins like a question or a request and tells something, and what asks without a mark, in twelve languages."""

import pytest

from consolidation.text.speech_acts import is_question, is_request, wants_answer
from tests.support.growth import assert_linear, repeated

TOLD = """
how i passed that exam i'll never know
why i moved to hull is a long story, mostly a girl
was meant to be flying to lisbon but my passport expired
did my 10k in under an hour finally
wer hätte gedacht dass ich mal im kirchenchor lande
so bin ich damals zum imkern gekommen
was mich nervt sind die laubbläser von nebenan
quién iba a decirme que acabaría viviendo en Murcia
cual fue mi sorpresa al ver a mi ex en la boda
qui aurait cru que je finirais prof de maths
combien de fois je lui ai dit de fermer le portail...
chi l'avrebbe mai detto che mi piaceva il padel
cosa darei per rivedere mio nonno un'ultima volta
quem diria que eu ia gostar de acordar cedo
wie had gedacht dat ik ooit nog zou gaan hardlopen
wat mij betreft gaan we dit jaar gewoon weer naar Zeeland
jak tylko skończę studia wyprowadzam się do Gdańska
jakie było moje zdziwienie jak dostałam podwyżkę
кто бы мог подумать, меня взяли в сборную
почему мы развелись я никому не рассказывала
When Anna was born we lived in Lyon.
When it rains my knee hurts.
when Peter visits, we always cook goulash
And when your boy needs a job, it's his.
What I really love is hiking in the Alps.
What keeps me awake is the water.
What luck that we met!
How lovely, my sister got engaged yesterday.
Which reminds me, I moved to Leeds in May.
Who knew, I got the job.
Where I live, it rains a lot.
Why I left my job: my boss Peter yelled at me.
was diagnosed with asthma last week
Did my driving test on Monday and passed.
Wie gesagt, meine Blutgruppe ist 0 negativ.
Wie du weißt, habe ich Schuhgröße 43.
Wo ich wohne, regnet es oft.
Was ich mag, sind Katzen.
Wer mich kennt, weiß dass ich Kaffee hasse.
was der koffer wiegt will ich gar nicht wissen
Womit ich mein Geld verdiene: ich bin Tischler.
Was für ein Tag, ich habe den Job!
Wie schön, meine Schwester heiratet.
Bin ich froh, ich habe bestanden!
Que conste que mi grupo sanguíneo es 0 negativo.
Cuando llego a casa, ceno con mi mujer.
Cuando era niño vivía en Sevilla.
Quien me conoce sabe que odio el café.
Cuanto más trabajo, peor duermo.
Qué alegría, mi hermana se casa.
qué día más bueno, salimos a la mar
En cuanto a mí, vivo en Lima.
Quand ma mère est morte j'avais dix ans.
Quand on était petits, on vivait à Nice.
Qui me connaît sait que je déteste le café.
Quel bonheur, ma sœur se marie.
Comment j'ai rencontré ma femme: dans un bar à Porto.
Quando piove mi fa male il ginocchio.
Quando mia figlia è nata vivevamo a Bari.
In quanto celiaca, il mio gruppo sanguigno è 0 negativo.
A quanto pare mio fratello si sposa.
Dove vivo piove molto.
Quando chove meu joelho dói.
Quando minha filha nasceu eu morava em Recife.
Quem me conhece sabe que odeio café.
Que alegria, minha irmã vai casar.
Quanto a mim, moro em Recife.
Wat ik het liefst doe is schaatsen.
Waar ik woon regent het veel.
Wat een dag, ik heb de baan!
Hoe dan ook, ik woon nu in Utrecht.
Jak wiesz, mam grupę krwi 0 minus.
Co roku w maju jeździmy z Zosią do Zakopanego.
co tydzień chodzę na basen
O ile wiem, brat mieszka w Gdyni.
Kiedy byłam mała, mieszkałam w Gdyni.
Jaka radość, siostra wychodzi za mąż.
Как ты знаешь, моя группа крови первая отрицательная.
Когда мама умерла, мне было десять.
Как обычно, в пятницу хожу в бассейн.
Что касается меня, я живу в Омске.
Чем больше работаю, тем хуже сплю.
Какая радость, у сестры родился сын.
我女儿住在上海呢
我正在做饭呢
我没什么
ما أحب القهوة.
ما عندي سيارة.
كم أحب ابنتي سارة.
"""
ASKED = """
did the cleaning lady come on monday
did the washing machine break in march
who knew about my diagnosis
ما كان اسم كلبي
quand mon passeport expire, déjà
wo meine Schlüssel sind, weißt du das noch
cuando fui a Roma, lo recuerdas
co za lekarz mnie leczył
when does my passport run out
when is mum coming, tuesday or wednesday
when are we flying to rome
when you coming over
when and where is our big concert going to be
when you pass, will you get a little car
quand ma sœur déménage-t-elle, et où
what i should do when my tenant is late
what time suits me best
what did i say about the flat
what should I buy: the red one or the blue one
how lovely is the hotel in porto
how do i know if my sister is awake
which exercises did the teacher give for homework, my son lost the sheet
which means of transport is cheapest
where does my sister live
where i live now
who knows my blood group
was mag meine schwester
was wiegt der koffer, weißt du das noch
wie heißt mein zahnarzt, der neue in bonn
wie schön ist es in porto
wo wohnt meine mutter
was für eine pflanze haben wir denn da auf der heizung
wann krieg ich endlich post von der kasse, wegen dem gips
hab ich dir von lena erzählt
que dia es mi cita
qué talla tengo de zapatos
cuando es la boda de mi prima
cuando tengo la cita con la dentista
desde cuando estoy en ibaizabal
quien es mi jefa ahora
donde vive mi hermano
en cuanto tiempo llego
quand est mon rendez-vous, j'ai oublié
quand est-ce que je vois ma sœur
quel âge a ma fille
où j'habite maintenant
quando ho il dentista
quando è nata mia figlia
quanto mi costa il corso
in quanto tempo arrivo
dove vivo adesso
quando é a minha consulta
quando minha filha nasceu
que dia é a festa da minha irmã
quem é minha médica
wanneer moet ik naar de tandarts
wat kost een paspoort
waar woont mijn zus
hoe heet mijn baas
jak nazywa się mój szef
co lubi moja siostra
kiedy mam termin przeglądu pieca, co roku to samo
ile mam lat
jak ma na imię pies, wnuczka pyta
как зовут мою сестру
когда у меня приём, я забыл
где я живу
какой у меня размер обуви
我住在哪里
我妹妹呢
你在做什么呢
去不去呢
妹はどこに住んでいますか
ما اسم أختي
ما هي فصيلة دمي
كم عمر ابنتي
"""
DONE = """
Give blood twice a year, I'm blood group O negative.
Make my own bread every Sunday.
Sing in a choir on Tuesdays.
Find it hard to sleep since the accident.
Turn 40 next week.
Put the house up for sale yesterday.
Help came quickly after my accident.
Mach jeden Tag Yoga.
Schreibe gerade meine Bachelorarbeit über Bienen.
Erinnere mich gern an unseren Urlaub in Rom.
Faz dois anos que moro em Recife.
Conta de luz veio 300 reais.
Haz de cuenta que vivo en Lima.
Aide ma mère tous les dimanches.
Donne des cours de piano à Lyon.
Calcola che vivo a Bari.
Maak elke zondag brood.
Geef les op een school in Utrecht.
翻译是我的工作
帮我的是我姐姐
"""
WANTED = """
tell my mother every sunday that i love her
give me a plan for every sunday
make a menu for each day of the week
can you find out when the ferry goes on sundays
remind me every morning to take my pill
find my notes from last week
mach mir für jeden tag eine liste
schreib mir jeden morgen einen spruch
erinnere mich an den zahnarzt
faz uma lista de compras
conta de novo a piada
fais-moi un plan pour tous les jours
maak een schema voor elke dag
帮我翻译这句话
"""


def lines(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("text", lines(TOLD))
def test_what_begins_like_a_question_may_tell_something(text):
    assert not is_question(text)
    assert not is_request(text)


@pytest.mark.parametrize("text", lines(ASKED))
def test_a_question_that_is_typed_without_a_mark_asks(text):
    assert is_question(text)


@pytest.mark.parametrize("text", lines(DONE))
def test_who_leaves_out_the_i_requests_nothing(text):
    assert not is_request(text)
    assert not is_question(text)


@pytest.mark.parametrize("text", lines(WANTED))
def test_what_is_wanted_each_day_is_requested(text):
    assert is_request(text)


def test_a_set_phrase_in_front_wants_no_answer():
    assert not wants_answer("Wie gesagt, ich wohne in Bonn.", language="de")
    assert wants_answer("Wie gesagt, ich wohne in Bonn, wo ist das", language="de")


@pytest.mark.parametrize("unit", ["when a ", "was ich ", "what me ", "mach ", "когда ", "how i ", "呢", ", "])
def test_the_cost_grows_with_the_length(unit):
    assert_linear(lambda text: (is_question(text), is_request(text)), repeated(unit), length=4_000)
