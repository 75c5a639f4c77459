"""Questions without a mark, by a word inside or at the end; and sentences that only look like one."""

import pytest

from consolidation.text.inner_questions import LONGEST, asks_inside

ASKED = [
    "那几根鱼竿我后来给谁了",
    "我现在住哪块儿来着,填快递用",
    "我妹夫是干什么的",
    "门面每个月要交多少租",
    "我这药一天还要吃几回",
    "电动车充到八成就拔是不是对电池好些",
    "给她买男款还是女款",
    "你吃了没",
    "我穿多大码的鞋",
    "武汉为么事叫江城",
    "サイズいくつ買えばええ",
    "入院はどのくらいだった",
    "なんだっけ、名前忘れた",
    "会場ってどこだったん",
    "妹の名前は",
    "شو اسم أم بنتي",
    "آخر زيارة للدكتور كانت ايمتى",
    "مع مين كنت مرتبط هالسنة",
    "بكم بعت السيارة",
    "بأي مدينة صار غسان",
    "2800 на 12 сколько",
    "а собаку зовут как, и живёт она где",
    "il bosse dans quoi mon frère",
    "la toiture va me coûter combien",
    "c'est où déjà",
    "a gente vai onde",
    "الكورس في انهي بلد",
    "اسم القطة ايه",
]
TOLD = [
    "谁也没来",
    "我不知道怎么办",
    "我学会了怎么做红烧肉",
    "他问我什么时候回家",
    "昨天没怎么睡",
    "我想去哪儿都行",
    "哪怕下雨也去",
    "医生说多少吃一点",
    "我买了几个苹果",
    "没什么大事",
    "水果什么的都买了",
    "过年带不带她回去还在想",
    "我哪好意思去催",
    "有借有还,兄弟还是兄弟",
    "谁让我当初没好好学英语",
    "医生也说不清我这头疼是怎么回事",
    "要不要孩子这事我跟我老婆吵了一年",
    "有什么吃什么,我不挑的",
    "いつも弟とどっちが皿洗うかで揉める",
    "うちの犬は誰が来ても吠えない",
    "母にいつ帰るのって聞かれた",
    "سألتني أمي متى سأتزوج",
    "ماما كل شوية تسألني هتتجوز امتى",
    "elle sait pas dans quoi il bosse",
    "je comprends pas c'était quoi",
    "何か食べたい",
    "どこでもいい",
    "どうしても眠れない",
    "いつも走ってる",
    "どのくらい残すか親父に電話で聞いたら怒鳴られた",
    "ここが我慢のしどころです",
    "こんにちは",
    "مش عارف شو بدي اعمل",
    "ناسي شو التاريخ أصلا",
    "شو حلوة هالصورة!",
    "موقف لا تحسد عليه",
    "أي شيء ينفع",
    "не знаю когда",
    "когда вырасту, уеду",
]


@pytest.mark.parametrize("sentence", ASKED)
def test_a_word_inside_or_at_the_end_asks(sentence):
    assert asks_inside(sentence)


@pytest.mark.parametrize("sentence", TOLD)
def test_who_says_any_or_does_not_know_tells(sentence):
    assert not asks_inside(sentence)


def test_of_a_long_sentence_the_end_alone_counts():
    assert not asks_inside("我给谁了" + "，我买了很多东西" * LONGEST)
    assert asks_inside("我买了很多东西，" * LONGEST + "这样行吗")
