"""
Names that are ordinary words as well, and where such a word is written as a name: Will came, but "I will" is nobody.

The lists are of words that their language writes small: of those, a capital tells something. Whoever is called by any
other word is always meant by it, however it is written.
"""

from __future__ import annotations

import re

from consolidation.text.language import detect
from consolidation.text.name_forms import meant_in, without_case_endings
from consolidation.text.names import DOING
from consolidation.text.words import tokens

_ENGLISH = frozenset(
    tokens(
        """
        abbot ace amber angel apple april apron archer arch art ash aspen aster autumn baker banner barn baron basil
        bay bear beau bee bell bill birch bird bishop biscuit blanket blaze bliss blossom blue bob bolt bond booker
        bow boxer brace branch brandy breeze brick bridge brook brown buck bud buddy bull burn bush butler button buzz
        cable candy cannon captain carol carter case cash castle chance charity chase cherish cherry chess chester
        china chip chocolate christian chuck cinnamon clay clement cliff cloud clover coco colt commodore constance
        cook cookie cooper coral cord crane cream crew cricket crystal curt daisy dale dallas dash dawn deacon dean
        delight desire destiny dick dill dime dolly dot dove drake draper drew duck duke dusk dusty dutch eagle earl
        early earnest east ebony echo eden elder ember emerald era essence eve ever faith falcon farmer fawn felicity
        fern fidel field finch fisher flint flora flower flynn ford forest foster fox frank freedom frost gale garland
        garnet gardener gay gem gene gin ginger glen glory golden goldie goose grace grant grey gray green griffin guy
        hall hammer happy hardy harmony harp harper harry haven hawk hazel heath heather hedge hero hill holly homer
        honey honor honour hope hopper hunt hunter ibis indigo iris iron ivory ivy jack jade jasmine jasper jay jazz
        jersey jet jewel job jolly journey joy juniper june justice karma kelvin king kipper kit kitty knight lady
        lake lance lane lark laurel laver leaf lemon leopard levy liberty light lily linden link lion lock locket
        london lot lotus love loyal luck lucky lynx lyric magic magnolia maple marble march marine mark marlin marsh
        marshal marshall mason max may maybe meadow melody mercury mercy merit merry midge midnight miles mill miller
        mint misty moon morgan moss muffin myrtle nectar nick noble norm north nova oak ocean olive onyx opal oreo
        orchid otter page paige paisley panda paris parish parker pat patience patch patrol paw peach peaches peanut
        pearl pebble peg penny pepper percy perry peter phoenix pickle pierce pike pilgrim piper pixie poe poet pony
        poppy porter potter precious president price prince princess prudence pudding puck pumpkin quill quince rain
        rainbow ranger raven ray reed reef reign rex rich ridge rider ring river rob robin rock rocky rod roger roman
        romance rook rose rosemary rowan royal ruby rue rush russet rusty sable saffron sage sailor saint sally sandy
        sapphire savage scarlet scout season senior serenity shade shadow shepherd shore sky skipper slate smith
        smokey snow snowball sol solo sonny sorrel sparrow spear spencer spice spike spring star stark stella sterling
        stew stone storm stormy sue sugar summer sunday sunny sunshine swan sweet tab taffy tailor tanner tasty taylor
        teal ted temple thorn thyme tiger tile timber toby tom toffee topaz tracy tram trace tray treasure trinity
        trip trooper tucker tulip turner twig tyler valentine valor van vale verity vine viola violet viper virgin
        virtue vivid wade walker waffle wally ward warden waters wave wells west whisper whistler will willow win
        winner winter wise wolf wolfie wood woody wren yank young zeal zen zest zinnia amazon oracle shell target gap
        slack notion zoom signal discord
        """
    )
)
_OTHERS = frozenset(
    tokens(
        """
        alba alma amparo ángel angel aurora belén bella blanca clara consuelo cruz dolores esperanza estrella flor
        gloria gracia inmaculada linda lola luna luz mar marina mercedes nieves paloma paz perla pilar pura rocío rosa
        sol soledad victoria violeta aimée aimé angélique blanche céleste clémence constant désiré fleur juste marine
        olive prudence reine rose solange violette bruna chiara fiore fiorella gioia grazia letizia luce mare neve
        serena speranza stella viola luz lua mar rosa graça dores alegria sol vitória bloem lente roos zilver kalina
        malina róża wiara nadzieja jagoda вера надежда любовь роза лилия слава лев мир майя arzu ay aşk bahar barış
        bulut can çiçek defne deniz gül güneş inci ışık kaya nehir onur özgür pınar sevgi toprak umut yağmur yıldız
        """
    )
)
_PIECE = re.compile(r"[^\W_][\w'’‘ʼ´]*")
_BEGINS = re.compile(r"[.!?…:;\n\"“”„«»¿¡(]")
# Behind a word at the beginning of an English sentence; they look like what somebody does.
_DOES_NOTHING = frozenset("as his its perhaps sometimes these this those thus us yes".split())


def is_a_word(key: str) -> bool:
    """Whether the name with this *key* is an ordinary word as well."""
    return key in _ENGLISH or key in _OTHERS


def is_written_as_name(text: str, key: str) -> bool:
    """
    Whether the word with this *key* stands somewhere in *text* with a capital that it does not owe to its place.

    At the beginning of an English sentence, somebody must be doing something.
    """
    if text.isupper():
        return True
    plain = without_case_endings(text)
    pieces = list(_PIECE.finditer(plain))
    piece_of = [at for at, piece in enumerate(pieces) for _ in tokens(piece[0])]  # by word
    meant = meant_in(text)
    if len(piece_of) != len(meant):  # in a script that is cut otherwise, nobody can tell which word is which
        return True
    places = [at for at, names in zip(piece_of, meant, strict=True) if key in names]
    return any(pieces[at][0][0].isupper() and not _is_mere_beginning(plain, pieces, at, key) for at in places)


def _is_mere_beginning(text: str, pieces: list[re.Match[str]], at: int, key: str) -> bool:
    """Whether the word at this place may owe its capital to opening a sentence."""
    before = text[pieces[at - 1].end() if at else 0 : pieces[at].start()]
    if key not in _ENGLISH or (at and not _BEGINS.search(before)) or not detect(text, fallback="en").startswith("en"):
        return False
    if re.search(r"['’]s?$", pieces[at][0]) or at + 1 == len(pieces):
        return False
    doing = pieces[at + 1][0]
    return doing in _DOES_NOTHING or not DOING.fullmatch(doing)
