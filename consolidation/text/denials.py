"""
Whether somebody's words deny what was said before them: plainly, or with a "no" whose rest has to be weighed.

Closed classes of words, in the languages of ``speech_acts``. "No, thanks" denies nothing, and "no coffee yet" neither.
"""

from __future__ import annotations

import re

from consolidation.text.speech_acts import LONGEST_BEGINNING, is_question
from consolidation.text.words import accents_optional, ignoring_case

# Where a word begins other sentences as well, it denies only at the end of a clause: "Falsch geparkt", "Non posso".
_ENDS = r"(?=\s{0,4}(?:[,.!;:…–—،؛-]|$))"
_ALONE = r"(?=[\s.!…。！]*$)"
_BETWEEN = r"[\s,.!;:…–—،؛¡、，。！-]*+"
# What people say before they come to the point.
_FILLERS = (
    r"¡?(?:(?:oh|hm+|wait|u[mh]+|erm?|ehm?|äh+m?|euh|ach|oye|ah|lol|haha|hey|hold on|sorry|but|aber|pero"
    r"|mais(?! non)|ma(?! no)|mas|ale|maar|но|well|hang on|excuse me|cara|gente|poxa|ué|opa|eita|calma|pera(?:[íi])?"
    r"|leider|hä|helaas|niestety|perdona?|pardon|désolée?|scusa|desculpa|извини|прости|прошу прощения|naja|mate|dude"
    r"|bro|man|alter|digga|mann|tío|tía|mec|boh|ej|kurde|блин)(?!\w)[,.!?\s]*+){0,3}+"
)
# A "no": what follows it says whether anything is denied.
_NOES = (
    r"(?:no+(?:pe)?(?=\s{0,4}(?:[^\w\s?]|$)|\s+(?:i|i['’]?m|i['’]ve|you|u|he|she|it|we|they|my|your|his|her|our"
    r"|their|mine|(?:that|it|he|she|they|we|you|there)['’]?(?:s|re)?|this|these|those|the|in|on|at|from|not|no"
    r"|actually|wait|sorry|never|only|just|but|because|es|era|fue|son|soy|eso|est[áa]|ella|él|mi|el|en)(?!\w))"
    rf"|no{{2,}}|nop|na[hw]|nel(?=,)|nein|nee+(?: hoor)?|nö|ne(?=[,.!])|nan(?=[,.!]|$)|non{_ENDS}"
    r"|non(?= (?:non|mais|pas|plus|moi"
    rf"|lui|elle|il|elles|ils|on|ce|ça|je|tu|nous|è|sono|era)(?!\w)| [cj]['’])|n[ãa]o{_ENDS}|n[ãa]o(?= (?:n[ãa]o|eu"
    rf"|ela|ele|elas|eles|é|era|foi|são|eram)(?!\w))|нет{_ENDS}|не(?=,)"
    rf"|нет(?= (?:не|это|я|он|она|они|мы|у|в|мой|моя|мою|меня)(?!\w))|nie{_ENDS}"
    rf"|nie(?= (?:ja|on|ona|oni|to|tak|moj[aąe]|mój)(?!\w))|لا{_ENDS}|لا(?= (?:ليس|ليست|هذا"
    r"|هذه|هو|هي|أنا)(?!\w))|كلا)(?!\w)|不是(?=的?\s{0,4}(?:[，,。.！!]|$))的?|不(?=[，,。.！!\s]|$)|没有(?=[，,。！!])|いいえ"
    r"|いえ(?=[、。]|$)|いや(?=[、。]|$)|ううん"
)
# Other words that object, if what follows bears on what was said: "that's not Carla", "Lyon?? I live in Porto".
_OBJECTS = (
    r"(?:actually(?=,? (?:no|it|he|she|that|not)(?!\w))"
    r"|not(?! (?:before|until|till|sure|yet|bad|much|really|even|to|only|too|so|long|many|all|today|now|that|a)(?!\w))"
    r"|(?:that|this|it)(?:['’]?s| is| was) (?:not|no longer)|(?:that|this|it) (?:is|was)n['’]?t|(?!(?:what|wh[oy]"
    r"|where|when|how|huh|really|seriously|wow|ok|yes|was|wie|wo|echt|qu[eé]|quoi|cosa|co|что)\?)\w{1,40}+\?\?+"
    r"|das (?:ist|war) nicht|nicht(?= (?:mein|dein|sein|ihr|unser|ich|mir|er|sie|mehr|der|die|das|in|am|im|bei))"
    r"|doch nicht|yo no|ya no|eso (?:ya )?no|eso era|no (?=es|era|fue)|c['’]est (?:pas|plus)|ce n['’]est"
    r"|pas(?= (?:moi|elle|lui|mon|ma|mes|le|la|à|en))|non(?= (?:io|è|sono))|isso n[ãa]o|n[ãa]o(?= eu)|dat is niet"
    r"|niet(?= (?:mijn|ik|in|op|de|het))|nie(?= (?:ja|moj[aąe]|mój|w|na))|to nie|не(?= (?:я|мой|моя|моё|мои|в|на|он"
    r"|она))|это не|ليست?)(?!\w)|不是"
)
# Behind a "no": then it is polite, agrees or ends the talk, and denies nothing.
_HARMLESS = (
    r"(?:"
    # English
    r"(?:many |ok(?:ay)? |no )?(?:thanks|thank|thx|ty|cheers)|(?:i think |i guess |well )?that(?:['’]?s| is| was"
    r"| will be|['’]ll be| would be) (?:really |just |about )?(?:all|it|everything|fine|ok|okay|great|perfect|right"
    r"|correct|true|good|enough|alright|exactly|lovely|cool)|it(?:['’]?s| is) (?:fine|ok|okay|perfect|alright"
    rf"|all (?:good|fine|right))|that['’]?ll do|that (?:will|would) do|nothing(?: (?:else|more|really)|{_ENDS})"
    r"|all (?:good|fine|done|set|clear)|"
    rf"i (?:know|see|understand|get)(?: it| that)?{_ENDS}|i(?:['’]?m| am) (?:good|fine|ok|okay|done|all set"
    rf"|set|alright){_ENDS}|(?:just )?(?:can['’]?t|cannot) (?:wait|complain|think)|go ahead|no worries|never ?mind"
    rf"|(?:please )?do(?:n['’]?t| not)(?: (?:worry|bother|need)|{_ENDS})|not (?:yet|now|today|needed|necessary"
    rf"|at the moment|for now)|you(?:['’]?re"
    rf"| are| were)? (?:right|good|great|welcome|fine|(?:did|do|got)(?: it)?{_ENDS})|of course not|good ?(?:night"
    rf"|bye)|bye|see you"
    r"|talk (?:to you )?(?:later|soon)|i (?:almost )?forgot|kidding"
    # German
    r"|(?:vielen |besten )?dank|danke|das (?:war|wär|wäre|ist|passt|reicht|genügt)(?:['’]?s| es)?(?: (?:schon"
    r"|erst ?mal|für heute|so))*(?: (?:alles|gut|ok|okay|super|richtig|perfekt|lieb|nett))?(?=\s{0,4}(?:[,.!]|$))"
    r"|passt|alles (?:gut|klar|bestens|ok|okay|super|prima)|(?:sonst|weiter) nichts|nichts(?: (?:weiter|mehr)"
    rf"|{_ENDS})|mehr (?:nicht|hab|ist|war)|(?:es )?ist (?:schon )?(?:gut|ok|okay)|schon gut|ich weiß|weiß ich"
    r"|noch nicht|nicht (?:nötig|jetzt)|heute nicht|mach (?:weiter|ruhig)|keine? (?:problem|sorgen?|thema)"
    r"|gute nacht|tschüss|bis (?:dann|morgen|später|bald)|super|perfekt|prima|gerne?|lass (?:mal|gut|es|das)"
    r"|bitte nicht"
    # Spanish
    rf"|(?:muchas |mil )?gracias|(?:con )?(?:eso|esto)? ?(?:es|era|sería|está) todo|nada(?: más|{_ENDS})|ya está"
    r"|todo (?:bien|claro|perfecto)|(?:así )?(?:est[áa]|va) (?:bien|perfecto|claro)|tranquil[oa]|no (?:hace falta"
    r"|te preocupes)|(?:ya )?lo sé|(?:todavía|aún) no|por ahora|de momento|perfect[oa]|vale|buenas noches|adiós"
    r"|hasta (?:luego|mañana|pronto)"
    # French
    r"|merci|c['’]est (?:tout|bon|parfait|gentil|ça|juste|exact|noté|bien|super)|ça (?:va|ira|suffit)"
    rf"|rien(?: (?:d['’]autre|de plus)|{_ENDS})|pas (?:encore|maintenant|besoin|la peine|aujourd['’]hui)|je sais"
    r"|tout (?:va bien|est bon|bon)|(?:ne )?t['’]inquiète|bonne (?:nuit|soirée)|à (?:demain|bientôt|plus)"
    # Italian
    rf"|grazie|è tutto|tutto (?:qui|bene|ok|a posto|chiaro|apposto)|basta|va bene|nient['’]?altro|niente{_ENDS}|lo so"
    r"|non ancora|non (?:serve|importa|ti preoccupare)|a posto|buona ?notte|a (?:domani|presto)|per ora|figurati"
    # Portuguese
    r"|(?:muito )?obrigad[oa]|valeu|(?:é |era )?só isso|(?:isso )?é tudo|mais nada|(?:es)?t[áa] (?:tudo|bom|bem"
    r"|ótimo|certo)|tudo (?:bem|certo|ok|bom)|eu sei|ainda não|por (?:agora|enquanto)|(?:não )?precisa"
    r"|não se preocup\w+|boa noite|até (?:amanhã|logo|mais)|imagina|perfeito"
    # Dutch
    rf"|dank(?: je| u|jewel)?|bedankt|dat (?:was|is) (?:alles|het|goed|prima|oké|ok){_ENDS}|verder niets?"
    rf"|niets?(?: (?:meer|anders)|{_ENDS})|meer niet|ik weet het|weet ik|nog niet|hoeft niet|niet nodig|laat maar"
    r"|alles (?:goed|prima|oké)|het is (?:goed|prima)|geen (?:zorgen|probleem)|tot (?:morgen|straks|later)"
    r"|welterusten|komt goed"
    # Polish, Russian
    rf"|dzięk\w+|dzieki|(?:to )?(?:już )?wszystko|nic(?: (?:więcej|innego)|{_ENDS})|w porządku|jest (?:ok|dobrze"
    r"|super)|wiem|jeszcze nie|nie (?:trzeba|teraz)|spoko|dobranoc|do (?:jutra|zobaczenia)|już nic|na razie|to tyle"
    rf"|(?:большое )?спасибо|(?:это |вот и )?вс[её](?: (?:хорошо|нормально|в порядке)|{_ENDS})"
    rf"|(?:больше )?ничего{_ENDS}|(?:я )?знаю|пока(?: нет| что|{_ENDS})|ещ[её] нет|не (?:надо|нужно|сейчас|стоит"
    r"|переживай|волнуйся)|хорошо|ладно|спокойной|до (?:завтра|свидания|встречи)|отлично"
    # Arabic
    r"|شكر\w*|هذا كل|لا شيء|لا شكر|ليس (?:الآن|بعد)|أعرف|أعلم|حسنا|تمام|تصبح)(?!\w)"
    # Chinese, Japanese
    r"|[谢謝]|[没沒](?:事|关系|什么|有了)|不用|不需要"
    r"|就[这這]|好的|我?知道|[还還][没沒]|晚安|感谢|ありがと|大丈夫|けっこう|結構|それだけ|以上|もう(?:ない|いい)|まだ|わか[っり]|分か[っり]|知って|おやすみ"
)
# What denies by itself. "That's wrong" does, and "you got it wrong"; "you got it" and "that's not bad" do not.
_PLAINLY = (
    r"(?:"
    # English
    r"(?:(?:that|this|it|which|what you (?:said|say))?(?:['’]?s| is| was|['’]?s all| are)?(?: (?:just|simply"
    r"|completely|totally|all|so|clearly|still|also|plain|actually))*+ ?(?:wrong(?: again| (?:one|person|guy|man"
    r"|woman|date|day|year|city|town|place|address|name|number|time))?|false|incorrect|untrue|inaccurate|nonsense"
    rf"|rubbish|outdated|made up|no longer (?:true|right|correct|so|the case)){_ENDS})|that(?:['’]?s| is"
    r"| was) (?:wrong|(?:the )?old)(?! (?:enough|time|tale|joke|news|friend|habit|trick|story|on|with|but)(?!\w))"
    r"|that(?:['’]?s| is| was) the wrong|(?:(?:that|this|it)(?:['’]?s| is| was)? )?(?:quite )?(?:not|isn['’]?t"
    r"|wasn['’]?t)(?: (?:at all|really|quite|even|entirely))? (?:right|true|correct|so|accurate|quite|mine|the case"
    rf"|exactly|any ?more|how it (?:is|was)){_ENDS}|not (?:me|him|her|us|them){_ALONE}|(?:that|this|it)(?:['’]?s| is"
    r"| was) (?:not|never) what (?:i|he|she|we|they)|(?:that|this|it) (?:isn|wasn)['’]?t what (?:i|he|she|we|they)"
    rf"|(?:absolutely|definitely|certainly|of course|hell) (?:not|no){_ENDS}|not at all{_ENDS}|on the contrary"
    r"|you(?:['’]?re| are| were)(?: \w+)? (?:wrong|mistaken|misremembering|misinformed|confus(?:ed|ing)|mixing (?:me"
    r"|it|that|this|up|them|us|things|him|her|\w+ up)|thinking of (?:some\w*|another|the wrong)|making (?:that|this"
    r"|it|things) up)|you(?:['’]ve| have)? (?:got|had|have) (?:(?:it|that|this|me|us|them|him|her|\w+ \w+) (?:all "
    r"|completely |totally )?(?:wrong|mixed up|confused|backwards)|(?:(?:the|my|her|his|our|their) )?(?:wrong"
    r"|old)(?! friend))|you(?:['’]ve| have)? (?:mixed (?:it|that|this|up|me|us|them|him|her|\w+ up)|confused"
    r"|misunderstood|mis(?:read|heard|remember(?:ed)?)|made (?:that|this|it) up)|i (?:have )?(?:never|didn['’]?t"
    rf"|did not)(?: ever| actually)? (?:said|say|claim(?:ed)?|mean|meant)(?:{_ENDS}| (?:that|this|it|so|any|such"
    r"|i(?!\w)))|i (?:have |['’]ve )?(?:never|didn['’]?t) (?:told|tell) you|where did you get that|who told you that"
    r"|correction(?=[:,.!-])|(?:i|she|he|they|we|it|that) (?:(?:is|are|do|does|did|was|were|has|have|had)(?:n['’]?t"
    r"| not)|am not)(?=[\s.!]*$)"
    # German
    r"|(?:(?:das|dies|es|was du (?:da )?sagst) )?(?:(?:ist|war|sind) )?(?:(?:so|doch|aber|ja|leider|völlig|komplett"
    r"|einfach|total|alles) )*+(?:falsch|unwahr|gelogen|erfunden|unsinn|quatsch|blödsinn|schmarrn|veraltet"
    rf"|überholt){_ENDS}|das ist (?:alt(?=[\s.!]*$)|längst|(?:die|der|das) (?:alte|falsche)r?)|(?:(?:das|es"
    r"|dies) )?(?:stimmt|trifft)(?: (?:so|doch|aber|ja|leider|gar|überhaupt|alles|einfach)){0,3} nicht|(?:das|es"
    r"|dies) (?:ist|war)(?: (?:so|doch|aber|ja|leider|gar|überhaupt)){0,3} nicht (?:was ich|(?:(?:ganz|so"
    rf"|mehr) )?(?:richtig|wahr|korrekt|aktuell|der fall|so|er|sie|mir|ich|meine?[rs]?){_ENDS})|nicht (?:richtig|wahr"
    rf"|korrekt|ganz|so|mehr aktuell){_ENDS}|nicht (?:ich|mir|er|sie){_ALONE}|doch nicht{_ENDS}|(?:überhaupt"
    rf"|ganz und gar|absolut) nicht{_ENDS}|keineswegs|keinesfalls|auf (?:gar )?keinen fall|im gegenteil|(?:da "
    r"|hier )?(?:du |sie )?(?:irrst|irren|täuschst|täuschen|vertust|verwechselst|verwechseln|verwechselt) (?:du|sie"
    r"|dich|sich|da|das|mich|was|etwas|die|den|ihn|uns|mein|zwei)|(?:da |hier )?(?:liegst du|du liegst|liegen sie"
    r"|sie liegen)(?: (?:da|hier|leider))? (?:falsch|daneben)|du (?:verwechselst|irrst|liegst (?:falsch|daneben))"
    r"|(?:da )?(?:du hast|hast du|haben sie|sie haben)(?: (?:das|mich|da|was|es|etwas|wohl|uns|leider"
    r"|alles)){0,3} (?:falsch|verwechselt|missverstanden|vertauscht|durcheinander)|(?:(?:das|so ?was"
    r"|so) )?(?:hab(?:e|['’])? ich|ich hab(?:e|['’])?)(?: (?:das|so ?was|dir|ihnen|so|es|doch"
    r"|ja)){0,3} (?:nie(?:mals)?|nicht)(?: so)? (?:gesagt|erzählt|behauptet|gemeint)"
    # Spanish
    r"|(?:(?:eso|esto|lo que dices) )?(?:no|nunca) (?:es|era|fue)(?: (?:del todo|muy))? (?:(?:verdad|cierto|así"
    rf"|correcto|exacto|eso){_ENDS}|lo que (?:dij|dig|quis))|eso no{_ENDS}|no eso no|(?:(?:eso|esto) )?(?:(?:es|está"
    r"|era) )?(?:(?:muy|todo|totalmente|completamente) )?(?:falso|mentira|incorrecto|equivocado|erróneo"
    rf"|un error){_ENDS}|(?:eso )?está mal{_ENDS}|eso (?:es|está) (?:viejo|antiguo|mal)|(?:nada de eso|para nada"
    rf"|qu[eé] va|que no|en absoluto|ni hablar|claro que no|al contrario|todo lo contrario){_ENDS}|(?:eso|esa"
    r"|ese) es (?:la|el) (?:\w+ )?(?:viej|antigu)[ao]|(?:est[áa]s?|andas?) (?:muy |completamente )?(?:equivocad[oa]"
    r"|confundid[oa]|confundiendo)|te (?:equivocas|equivocaste|confundes|confundiste|lías|has (?:equivocado"
    r"|confundido|liado)|estás (?:equivoc|confund|li)\w+)|se (?:equivoca|equivocó|confunde|confundió"
    rf"|ha (?:equivocado|confundido))(?:{_ENDS}| usted)|(?:yo )?(?:nunca|jamás|no) (?:(?:te|le|lo|he"
    rf"|había) )*+(?:dij[eo]|dicho|conté|contado|mencioné) (?:eso|esto|tal cosa|nada de eso|algo así){_ENDS}"
    r"|eso (?:yo )?(?:no|nunca|jamás) (?:(?:lo|te|se|he) )*+(?:dije|dicho|conté)"
    # French
    r"|(?:c['’](?:est|était)|ce n['’](?:est|était)|cela n['’]est|ça n['’]est)(?: (?:vraiment|absolument))? (?:pas"
    rf"|plus|jamais)(?: du tout)? (?:(?:vrai|ça|exact|correct|le cas|elle|lui|moi|nous|eux){_ENDS}|ce que)"
    r"|(?:c['’](?:est|était) )?(?:(?:complètement|totalement|tout) )?(?:faux|inexact|erroné|une erreur|erreur"
    rf"|n['’]importe quoi|vieux|périmé){_ENDS}|c['’]est (?:l['’]anciens?|la vieille|le vieux|le mauvais"
    rf"|la mauvaise)(?!\w)|pas (?:du tout|vrai|exactement|vraiment|tout à fait){_ENDS}|pas (?:moi|lui|elle|nous"
    rf"|eux){_ALONE}|du tout{_ENDS}|(?:absolument pas|certainement pas|en aucun cas|au contraire|mais non"
    rf"|bien sûr que non|que non){_ENDS}|(?:tu (?:te tromp\w+|t['’](?:es )?tromp\w+|confonds|mélanges|as (?:tort"
    r"|mal compris|confondu|mélangé)|fais erreur)|vous (?:vous (?:êtes )?tromp\w+|confondez|mélangez|avez (?:tort"
    r"|mal compris|confondu|mélangé)|faites erreur))|(?:je )?(?:ne |n['’])?(?:(?:te "
    rf"|vous )?l['’])?(?:j['’])?ai (?:jamais|pas) dit(?:{_ENDS}| (?:ça|cela|que|une telle))"
    # Italian
    r"|(?:questo )?non (?:è|era)(?: (?:affatto|proprio|del tutto|assolutamente))? (?:(?:vero|così|giusto|corretto"
    rf"|esatto){_ENDS}|quello che)|(?:(?:è|era) )?(?:(?:tutto|completamente) )?(?:sbagliato|falso|errato|inesatto"
    rf"|una bugia){_ENDS}|quell[oa] (?:è|era) (?:il|la) vecchi[oa]|(?:ti|si) (?:sbagli[ao]?|confond[ei]"
    rf"|sta[i]? (?:sbagli|confond)\w+)|ti sei (?:sbagliat|confus)[oa]|si è (?:sbagliat|confus)[oa]{_ENDS}"
    rf"|sbagli{_ENDS}|(?:hai|ha) (?:torto|capito male|frainteso)|(?:(?:questo|io) )?non (?:te )?(?:l['’]ho"
    rf"|ho)(?: mai)? detto(?:{_ENDS}| (?:questo|ciò|così))|(?:per (?:niente|nulla)|assolutamente no|niente affatto"
    rf"|macché|ma no|ma va|al contrario){_ENDS}|non io{_ALONE}"
    # Portuguese
    r"|(?:(?:isso|isto) )?n[ãa]o (?:é|era|foi)(?: (?:bem|nada))? (?:(?:verdade|isso|assim|cert[oa]|corret[oa]"
    rf"|exato){_ENDS}|(?:isso|o) que eu)|isso n[ãa]o{_ENDS}|(?:(?:isso|isto) )?(?:(?:é"
    rf"|(?:es)?t[áa]) )?(?:tudo )?(?:errad[oa]|falso|mentira|incorret[oa]|equivocad[oa]){_ENDS}|(?:(?:voc[êe]|vc|tu"
    rf"|o senhor|a senhora) )?(?:est[áa]s?|t[áa]) (?:errad[oa]|enganad[oa]|equivocad[oa]|confundindo)(?:{_ENDS}"
    r"|(?<=confundindo))|(?:voc[êe]|vc|cê) (?:errou|(?:se )?confundiu|se enganou|trocou|entendeu (?:mal|errado))"
    rf"|(?:errou|(?:se )?confundiu|se enganou|enganaste-te|enganou-se){_ENDS}|(?:tu )?(?:confundiste|trocaste"
    r"|percebeste mal)|(?:eu )?(?:nunca|n[ãa]o|jamais) (?:(?:te|lhe) )?(?:disse|falei) (?:isso|nada disso"
    rf"|tal coisa){_ENDS}|(?:de jeito nenhum|de modo algum|nada (?:a ver|disso)|claro que n[ãa]o"
    rf"|pelo contrário){_ENDS}|ess[ea] (?:é|era) [oa] (?:antig|velh)[oa]"
    # Dutch
    r"|(?:(?:dat|dit|het) )?klopt(?: \w+)? niet|(?:dat|dit|het) (?:is|was)(?: (?:gewoon|echt|helemaal"
    rf"|toch)){{0,2}} (?:(?:fout|verkeerd|onjuist|onwaar|onzin|niet (?:waar|juist|zo|correct)){_ENDS}|(?:de"
    r"|het) (?:oude|verkeerde)|niet wat ik)|(?:niet (?:waar|juist|helemaal|correct)|onjuist|fout|onzin|verkeerd"
    rf"|helemaal niet|absoluut niet|integendeel){_ENDS}|(?:je|jij|u) (?:vergist|verwart|hebt? het (?:mis|fout"
    r"|verkeerd)|heeft het (?:mis|fout|verkeerd)|zit ernaast)|dat heb ik (?:(?:je|u|jou) )?(?:nooit"
    r"|niet)(?: zo)? gezegd|ik heb dat (?:nooit|niet)(?: zo)? gezegd"
    # Polish
    rf"|(?:(?:to|tak) )?(?:jest )?(?:nieprawda|błąd|bzdura|pomyłka|kłamstwo|fałsz|nieaktualne){_ENDS}"
    rf"|to (?:jest )?star[ya] (?:adres|numer|plan|data|cena|wersja)|(?:to )?(?:się )?nie zgadza(?: się)?{_ENDS}"
    rf"|to nie (?:tak|to|ten|ta|on|ona|ja|jest (?:prawda|tak)){_ENDS}|nie tak{_ENDS}|nie (?:ja|on|ona){_ALONE}"
    rf"|(?:wcale nie|absolutnie nie|skądże|ależ nie|na pewno nie|przeciwnie|błędnie|niepoprawnie){_ENDS}"
    rf"|źle(?=[\s.!]*$)|mylisz się|mylisz{_ENDS}|pani? się myli|myli się pani?|pomyli(?:łeś|łaś|les|las)"
    r"|(?:nigdy )?(?:(?:ci|tego|tak) )*+nie (?:mówi|powiedzia)ł[ae]m(?: tego| tak| czegoś takiego"
    rf"| nic takiego)?{_ENDS}"
    # Russian
    r"|(?:(?:это|вс[её]) )?(?:(?:совсем|просто|полная|абсолютно) )?(?:неправда|неверно|неправильно|ошибка|ложь|чушь"
    rf"|ерунда|неточно|не (?:так|то|правда|верно)){_ENDS}|(?:ты|вы) (?:\w+ )?(?:ошиб|путае|перепута|напута"
    rf"|не ?прав)\w*|ошиба(?:ешься|етесь){_ENDS}|это не т[от]й?(?!\w)|это стар(?:ый|ая) (?:адрес|номер|план|дата"
    rf"|цена)|не (?:я|он|она){_ALONE}|(?:вовсе|совсем|конечно) нет|нет же|отнюдь|ничего подобного|наоборот"
    r"|(?:я )?(?:(?:такого|этого|так) )(?:(?:никогда|тебе|вам|я) )*+не (?:говорил|сказал)\w*"
    rf"|я (?:никогда )?не говорил[аи]?(?: (?:такого|этого|так))?{_ENDS}"
    # Arabic
    rf"|(?:(?:هذا|ذلك|هذه) )?(?:غير صحيح\w?|خطأ|خاطئ\w?|ليس صحيح\w{{0,2}}|كذب|غلط){_ENDS}|ليس كذلك"
    rf"|[أا]نتِ? (?:مخطئ\w?|غلطان\w?|على خطأ)|لم [أا]قل (?:ذلك|هذا|لك)|مش صح|[إا]طلاق[اًا]*{_ENDS})(?!\w)"
    # Chinese, Japanese
    r"|(?:[那这這]|你[说說]的)?(?:[都也就是]|完全)?(?:不[对對](?![劲勁称稱等])|不正[确確]|不准[确確]|不是[这這]样|不是[这這]樣)"
    r"|(?:[你您那这這])?(?:[说說记記搞弄]?[错錯][了啦吧]|[说說记記搞弄][错錯](?![误誤]))|我[没沒]有?[说說][过過]|[胡瞎][说說]|(?:それは|これは|それ)?(?:違"
    r"|ちが)(?:いますよ?|うよ?|うって)(?=[。、！!?？ねわ\s]|$)|(?:それは|それ)?間違(?:い|って(?:い)?(?:ます|る))(?:です|だ)?(?:よ|ね)?(?=[。、！!\s]|$)"
    r"|そう(?:じゃ|では)(?:な[いく]|ありません)|(?:そんなこと|そう)は?言って(?:い)?(?:ない|ません)|じゃなくて"
)
# Oh no: something is bad, and nothing denied.
_DISMAY = r"(?:oh|o|ay|ah|aw+|о)[\s,]{1,3}(?:no+|non|nein|nee+|nie|n[ãa]o|нет)(?!\w)"
_DENIES = rf"{_FILLERS}(?:(?:{_NOES}){_BETWEEN}){{0,3}}(?:{_PLAINLY})"
_SAYS_NO = rf"{_FILLERS}(?:(?:{_NOES}){_BETWEEN}){{1,5}}+"
_WEIGHED = rf"{_FILLERS}(?:{_OBJECTS}){_BETWEEN}"


_NOT_YET = re.compile(r"(?<!\w)(?:yet|noch|todavía|aún|encore|ancora|ainda|nog|jeszcze|ещё)(?!\w)", re.IGNORECASE)


def denies(text: str) -> bool:
    """Whether *text* begins by saying plainly that what was said before it is wrong; a "no" alone does, too."""
    return _match(_DENIES, text) is not None or objection(text) == ""


def objection(text: str) -> str | None:
    """
    What follows a "no" with which *text* begins: it says whether anything is denied. Empty where nothing follows.

    None where *text* begins otherwise, or only declines politely, agrees, or ends the talk: "no, thanks, that's all".
    """
    if _match(_DISMAY, text) is not None:
        return None
    found = _match(_SAYS_NO, text)
    if found is None:
        found = _match(_WEIGHED, text)
        rest = _rest(text, found) if found is not None else ""
        return None if not rest or is_question(rest) or _NOT_YET.search(rest) else rest
    rest = _rest(text, found)
    return None if _match(_HARMLESS, rest) is not None else rest


def says_no(text: str) -> bool:
    """Whether *text* begins with a "no", whatever follows it."""
    return _match(_SAYS_NO, text) is not None


def _rest(text: str, found: re.Match[str]) -> str:
    rest = text.strip()[found.end() : LONGEST_BEGINNING]
    return rest if any(map(str.isalnum, rest)) else ""


def _match(pattern: str, text: str) -> re.Match[str] | None:
    return ignoring_case(accents_optional(pattern)).match(text.strip()[:LONGEST_BEGINNING])
