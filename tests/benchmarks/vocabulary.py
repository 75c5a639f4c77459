"""What the made-up minds of the benchmark of size speak of: topics, names, places, dates; a name for every number. Pure."""

from __future__ import annotations

import random
from functools import cache

_SEED = 20261121
HUB = "Nora"
# A line a topic: what is said within one stands near each other, in words and in vectors.
TOPICS = tuple(
    tuple(line.split())
    for line in """
    cello violin concert rehearsal quartet melody sonata orchestra
    sourdough oven flour yeast bakery crust loaf pastry
    bicycle saddle gravel chain puncture cyclist helmet pedal
    garden tomato seedling compost greenhouse rose hedge pruning
    novel chapter publisher poem library manuscript essay bookshop
    hospital surgeon fever vaccine clinic bandage diagnosis nurse
    telescope galaxy comet planet eclipse observatory meteor orbit
    marathon sprint stadium trainer medal jogging relay finish
    kayak river paddle rapids canoe lagoon current rowing
    mortgage landlord rent tenant apartment lease bathroom balcony
    puppy leash kennel veterinarian greyhound collar fetch whiskers
    server database compiler keyboard outage backup laptop router
    election parliament senator ballot campaign council debate treaty
    wedding bride bouquet invitation groom ceremony ring reception
    glacier summit ridge avalanche rope crampons mountaineer hut
    sculpture gallery canvas watercolour portrait exhibition easel curator
    submarine lighthouse harbour anchor ferry captain sailor tide
    tax invoice pension accountant salary budget insurance refund
    chess bishop gambit checkmate tournament opening pawn clock
    espresso grinder roastery barista milk teapot cinnamon cocoa
    locomotive platform timetable carriage signal tunnel station ticket
    camera lens tripod darkroom film shutter negative album
    kindergarten teacher homework classroom exam pupil diploma lecture
    spider butterfly beetle wasp hive moth larva pollen
    guitar amplifier drummer chorus vinyl festival microphone encore
    pottery glaze kiln clay teacup wheel ceramic studio
    volcano earthquake lava crater eruption geyser ash fault
    airport passport runway pilot luggage boarding visa turbulence
    cheese vineyard barrel harvest cellar goat olive honey
    theatre actor curtain costume audience monologue puppet premiere
    knitting wool needle scarf pattern quilt sewing button
    detective alibi burglar fingerprint courtroom verdict witness jury
    solar battery turbine generator voltage grid panel charger
    football goalkeeper penalty referee striker league derby trophy
    perfume lavender soap candle jasmine incense vanilla amber
    desert camel oasis caravan dune mirage nomad sandstorm
    robot sensor gearbox prototype welding drone circuit antenna
    monastery pilgrim chapel cathedral bell choir icon cloister
    snowstorm sledge skates icicle blizzard snowman avalanche mitten
    aquarium dolphin coral octopus seahorse jellyfish turtle reef
    """.strip().splitlines()
)
CITIES = tuple(
    """Lyon Porto Gdansk Leipzig Bergen Turin Ghent Valencia Graz Malmo Cork Brno Utrecht Trieste Seville Aarhus Tartu
    Split Nantes Basel Ostend Verona Tampere Bilbao Krakow Lucerne Galway Patras Izmir Varna""".split()
)
DEEDS = (
    *("talked about", "asked for", "paid for", "dreamed of", "complained about", "took photos of", "wrote about"),
    *("looked after", "waited for", "forgot about", "laughed about", "worried about", "learned about", "read about"),
)
ASIDES = (
    *("I keep thinking about it.", "It rained all day.", "Nobody had expected that.", "My knee is almost fine again."),
    *("We laughed more than we should have.", "I wrote it down at once.", "There is a lot to sort out before Monday."),
)
MONTHS = tuple("January February March April May June July August September October November December".split())
_FIRST = tuple(
    """Marta Tobias Aisha Pavel Ines Declan Yuki Grace Henrik Sofia Luca Priya Jonas Camille Omar Nadia Felix Hannah
    Mateo Ruth Viktor Elena Samuel Clara Amara Bruno Chiara Dmitri Edith Farid Greta Hugo Imani Jakob Katya Liam Mina
    Nils Olga Pedro Quentin Rosa Stefan Tara Umar Vera Wanda Xenia Yusuf Zelda Anton Birgit Cyril Dalia Emil Freya
    Goran Helga Ivo Jana Kemal Leona Milan Noemi""".split()
)
_LAST = tuple(
    head + tail
    for head in "Kel Lind Rah Nov Car Mur Tan Oka Dahl Brand Mor Nair Web Rou Had Pet Ose Ster Vid Abr Hor Cos Ade Nym".split()
    for tail in "ler qvist man otny valho phy abe for berg strom etti ova sen son eau ski ridge ley ton wood".split()
)
_KINDS_OF_NAMES = tuple(
    """Silver Golden Crooked Quiet Broken Hidden Northern Southern Amber Crimson Velvet Hollow Frozen Burning Distant
    Ancient Restless Gentle Copper Iron Marble Paper Wooden Glass Emerald Scarlet Azure Ivory Dusty Misty Sunken
    Wandering Laughing Sleeping Forgotten Painted Borrowed Second Seventh Lonely Merry Humble Proud Early Late Winding
    Narrow Western Eastern Salty Bitter Sweet Smoky Windy Rainy Stony Grassy Thorny Secret Royal""".split()
)
_OF_PLACES = tuple(
    """Harbour Mill Garden Bridge Tavern Library Terrace Market Chapel Arcade Station Lodge Courtyard Pavilion Bakery
    Workshop Cinema Ballroom Foundry Orchard Brewery Cottage Gallery Fountain Tower Stable Cloister Boathouse Veranda
    Museum Kitchen Attic Alley Square Palace Theatre Hostel Embassy Depot Quay Gate Inn Barn Ferry Forge Arena Park
    Grotto Hall Kiosk Cabin Castle Villa Temple Wharf Bazaar Clinic Plaza Manor Refuge""".split()
)
_OF_WORKS = tuple(
    """Sparrow Letter Winter Promise Voyage Lantern Daughter River Empire Shadow Mirror Compass Summer Kingdom Violinist
    Stranger Island Clockmaker Garment Serpent Orchid Witness Machine Harvest Migration Anthem Alphabet Labyrinth Heron
    Fox Notebook Diary Suitcase Tightrope Chandelier Carousel Telegram Postcard Almanac Atlas Sonnet Ballad Waltz Fugue
    Requiem Overture Quilt Tapestry Mosaic Fresco Kite Balloon Trumpet Cartographer Beekeeper Gardener Juggler Magician
    Ferryman Nightingale""".split()
)
_PERSON, _PLACE, _WORK = "person", "place", "work"


def kind_of(number: int) -> str:
    """What the entity of this number is; 0 is the hub."""
    share = number % 20
    return _PERSON if number == 0 or share < 14 else _PLACE if share < 17 else _WORK


def name_of(number: int) -> str:
    """The name of an entity; each has its own, up to some 20,000 of them and again with a numeral above."""
    if number == 0:
        return HUB
    kind = kind_of(number)
    table = _names(kind)
    place = number // 20 * 14 + number % 20 if kind == _PERSON else number // 20 * 3 + (number % 20 - 14) % 3
    again, at = divmod(place, len(table))
    return f"{table[at]} {again + 1}" if again else table[at]


@cache
def _names(kind: str) -> tuple[str, ...]:
    match kind:
        case "person":
            names = [f"{first} {last}" for first in _FIRST for last in _LAST]
        case "place":
            names = [f"the {what} {where}" for what in _KINDS_OF_NAMES for where in _OF_PLACES]
        case _:
            names = [f"The {what} {title}" for what in _KINDS_OF_NAMES for title in _OF_WORKS]
    random.Random(f"{_SEED} {kind}").shuffle(names)
    return tuple(names)
