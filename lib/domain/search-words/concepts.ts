import { reigns } from '../../engines/calendars/index.ts'
import type { Concept } from '../../engines/search/index.ts'

/*
 * The concepts of questions, as data. A concept has a label, and the words for it in English, Nepali and Newar. Words are singular, in any
 * spelling. Commas separate phrases. To add a word to search, write it here.
 */

/** The sorts of concept that a part of a question may name. */
const interpretations = ['sort', 'place', 'deity', 'period', 'century', 'month', 'material', 'state'] as const
type Interpretation = (typeof interpretations)[number]

/** How `interpreted` names a part of a question: by its concept, or by what the grammar read. */
export const readParts = [...interpretations, 'near', 'years', 'order', 'identifier', 'words'] as const

const phrasesOf = (text: string) => text.split(',').map((it) => it.trim())
const conceptsFrom = (as: Interpretation, rows: Readonly<Record<string, string>>): Concept[] =>
  Object.entries(rows).map(([label, words]) => ({ as, label, phrases: [label, ...phrasesOf(words)] }))

/** Sorts of records. */
const sortsOfRecords = () =>
  conceptsFrom('sort', {
    Temple: 'mandir, degah, deval, devalaya, dega, hindu temple, tempel, templo, tempio',
    Stupa: 'chaitya, chibha, chiba, chorten, thupa, pagoda stupa',
    Monastery:
      'vihara, vihar, bihar, bahal, baha, bahi, mahavihar, mahabihar, gumba, gompa, gonpa, nunnery, convent, kloster, monastere, monasterio',
    Mosque: 'masjid, masjit, jame masjid, dargah, moschee, mosquee, mezquita',
    Church: 'cathedral, chapel, girjaghar, kirche, eglise, iglesia',
    Gurdwara: 'gurudwara',
    Shrine: 'than, thaan, devsthan, pith, pitha',
    Pond: 'pokhari, pukhu, pukhuli, kunda, tank, water tank, talau, lake, taal',
    'Water spout':
      'hiti, dhara, dhunge dhara, stone spout, stone tap, water fountain, fountain, water tap, spout, dhungedhara',
    Well: 'kuwa, inar',
    Palace: 'durbar, darbar, layku, durbar square, royal residence, rajdarbar, mahal, palast, palais, palacio',
    'Rest house':
      'resthouse, pati, sattal, falcha, phalcha, dharmashala, mandapa, mandap, pilgrim shelter, rest shelter, traveller shelter',
    Museum: 'sangrahalaya, musem, gallery, musee, museo',
    Gate: 'dhoka, dwar, gateway, torana',
    Square: 'chowk, courtyard, plaza',
    Bridge: 'pul, sanghu',
    Tower: 'dharahara, minar',
    Fort: 'gadhi, gadi, fortress, kot, killa',
    Garden: 'bagaicha, udyan',
    Library: 'pustakalaya',
    Ghat: 'cremation ghat, cremation ground, cremation site, burning ghat, burn the dead, burn dead body, cremate, river bank steps, masan ghat, aryaghat',
    Cave: 'gufa, gupha',
    Hill: 'danda, hilltop, pahad',
    River: 'khola, nadi, khusi',
    Town: 'city, nagar, village, gaun, settlement, municipality, shahar',
    Festival: 'jatra, parva, yatra, chad, celebration, mela, utsav, festive',
    Ritual: 'puja, rite, ceremony, worship, sanskar, samskara',
    Dance: 'nach, nritya, pyakhan, masked dance',
    Music: 'song, bhajan, dapha, instrument, baja',
    Statue: 'image, murti, pratima, sculpture, idol, relief, figure',
    Painting: 'thangka, thanka, paubha, mural, scroll painting, chitra',
    Inscription: 'shilalekh, abhilekh, shila lekh, copperplate',
    Manuscript: 'granth, book, dossier, hastalikhit',
    Goddess: 'devi, mother goddess, female deity',
    God: 'deity, deva, devata, deuta, dyah, dyo',
    King: 'raja, monarch, maharaja, ruler',
    Queen: 'rani, maharani',
    Princess: 'rajkumari',
    Architect: 'builder, mason, sthapati',
    Artist: 'painter, sculptor, craftsman, artisan, craftsperson, kalakar',
    Caste: 'caste group, clan, ethnic group, community group',
    Guthi: 'trust, religious trust, socio religious institution',
    Calendar: 'sambat, samvat, panchanga, patro, era',
    Craft: 'woodcarving, wood carving, metalwork, pottery, weaving, handicraft',
    Earthquake: 'bhukampa, bhuichalo, quake',
    Birthplace: 'birth, born, birth place, janmasthan, janma',
    'New year': 'naya barsa, nava varsha, nawa barsha, naya barsha, nhu daya, nhudaya',
    'World Heritage Site': 'world heritage, vishwa sampada, bishwa sampada, unesco site',
  })

/** In what state a thing is. */
const states = () =>
  conceptsFrom('state', {
    Destroyed:
      'no longer standing, no longer exist, not standing, not standing anymore, lost, ruined, in ruins, ruin, collapsed, demolished, destroyed by earthquake, bhatkiyeko, bhatkiyeka, bhatkeko, bhatkeka, nasta, भत्किएको, भत्किएका, भत्केको, नष्ट',
    Damaged:
      'damaged by earthquake, earthquake damage, partly ruined, partially ruined, cracked, kshatigrasta, क्षतिग्रस्त',
    Restored: 'rebuilt, reconstructed, renovated, punarnirman, jirnoddhar, पुनर्निर्माण, जीर्णोद्धार',
  })

/** Sorts of beings after whom records are named: "queen's pond". */
const beings: ReadonlySet<string> = new Set(['Goddess', 'God', 'King', 'Queen', 'Princess'])

/** The sort of all records of a resource. */
export const sortByResource: Readonly<Record<string, string>> = {
  deities: 'God',
  festivals: 'Festival',
  rituals: 'Ritual',
  guthis: 'Guthi',
  caste_groups: 'Caste',
  calendar_systems: 'Calendar',
}

/** A town with its centre, and its radius in kilometres. */
const town = (label: string, words: string, lat: number, lng: number, reach: number) => ({
  label,
  words,
  lat,
  lng,
  reach,
})
const gazetteer = () => [
  town(
    'Kathmandu',
    'ktm, kantipur, yen, yala kathmandu, kathmandu valley capital, kathmadu, kathmandau',
    27.7083,
    85.3206,
    5,
  ),
  town('Patan', 'lalitpur, yala, lalitpattan, lalitapur', 27.6727, 85.3249, 1.8),
  town('Bhaktapur', 'bhadgaon, khwopa, bhadgaun', 27.672, 85.4298, 2.5),
  town('Kirtipur', 'kipu', 27.6786, 85.2775, 1.5),
  town('Thimi', 'madhyapur, madhyapur thimi', 27.6806, 85.3875, 1.5),
  town('Sankhu', 'shankharapur, sakwa', 27.7283, 85.4636, 1.5),
  town('Bungamati', 'bunga', 27.6297, 85.3028, 1),
  town('Khokana', '', 27.6386, 85.2953, 0.8),
  town('Panauti', '', 27.5847, 85.5214, 1.5),
  town('Banepa', '', 27.6298, 85.5214, 1.5),
  town('Dhulikhel', '', 27.6221, 85.5428, 2),
  town('Nuwakot', '', 27.9136, 85.1656, 4),
  town('Gorkha', '', 28.0, 84.6333, 5),
  town('Pokhara', '', 28.2096, 83.9856, 8),
  town('Bandipur', '', 27.9333, 84.4167, 2),
  town('Tansen', 'palpa', 27.8673, 83.5467, 3),
  town('Lumbini', '', 27.4696, 83.2758, 5),
  town('Kapilvastu', 'kapilbastu, tilaurakot', 27.5764, 83.0549, 6),
  town('Janakpur', 'janakpurdham, janakpur dham', 26.7288, 85.9263, 4),
  town('Birgunj', '', 27.0104, 84.8808, 4),
  town('Biratnagar', '', 26.4525, 87.2718, 5),
  town('Nepalgunj', '', 28.05, 81.6167, 5),
  town('Dolakha', 'dolkha', 27.6781, 86.0772, 3),
  town('Mustang', 'lo manthang, lomanthang, upper mustang', 29.0, 83.87, 45),
  town('Muktinath', '', 28.8167, 83.8717, 2),
  town('Jumla', '', 29.2747, 82.1838, 5),
  town('Ilam', '', 26.9094, 87.9282, 4),
  town('Dharan', '', 26.8125, 87.2833, 4),
  town('Hetauda', '', 27.4284, 85.0322, 4),
  town('Chitwan', 'bharatpur', 27.6833, 84.4333, 8),
]
const places = (): Concept[] =>
  gazetteer().map(({ label, words, lat, lng, reach }) => ({
    as: 'place',
    label,
    phrases: [label, ...phrasesOf(words)],
    area: { at: { lat, lng }, reach },
  }))

/** Deities, each with the names and forms after which its temples are named. */
const deities = () =>
  conceptsFrom('deity', {
    Shiva:
      'shiv, mahadev, mahadeva, shankar, pashupati, pashupatinath, maheshwar, shivalinga, linga, lingam, rudra, neelkantha mahadev, shivalaya, shivaratri',
    Ganesh:
      'ganesha, ganapati, vinayak, binayak, ganpati, vinayaka, ganesthan, ganedyah, elephant god, elephant headed god, god of beginnings',
    Vishnu: 'bishnu, narayan, narayana, hari, mahavishnu, vasudeva',
    Krishna: 'krishna mandir, gopal, radha krishna, radhakrishna, krishnaji, murlidhar',
    Ram: 'rama, ramchandra, ramji, ram sita, sita ram',
    Hanuman: 'bajrangbali, bajrang bali, mahabir hanuman, monkey god',
    Durga: 'bhagwati, bhagawati, bhagvati, navadurga, nava durga, mahishasuramardini, nawadurga',
    Kali: 'mahakali, kalika, dakshinkali, kalimai, bhadrakali',
    Taleju: 'tulja, taleju bhawani, tulaja, degutale',
    Kumari: 'living goddess, royal kumari',
    Bhairav: 'bhairab, bhairava, kal bhairav, bhairaba, aakash bhairav, bhairo',
    Saraswati: 'saraswoti, sarasvati, shree panchami, goddess of learning, goddess of knowledge, goddess of music',
    Lakshmi: 'laxmi, mahalaxmi, mahalakshmi, lachhmi, goddess of wealth',
    Parvati: 'gauri, uma, annapurna',
    Sita: 'janaki',
    Buddha: 'gautama, siddhartha, shakyamuni, buddhist, buddhism, buddhacharya, bouddha, bauddha, dipankara, dipankar',
    Tara: 'green tara, white tara, vasudhara',
    Machhindranath:
      'matsyendranath, machindranath, bunga dyah, bungadyo, karunamaya, lokeshwar, lokeshvara, avalokiteshvara, avalokiteshwor, avalokitesvara, lokeshwor, rain god, god of rain, god of compassion',
    Indra: 'yenya',
    Bhimsen: 'bhim, bhima, bhimsen than, bhimsenthan',
    Surya: 'sun god, suraj, surya narayan',
    Nag: 'naga, nagraj, serpent, snake god, snake king, serpent god, serpent king, nag devata',
    Vishwakarma: 'bishwakarma, vishvakarma',
    Manjushri: 'manjusri, god of wisdom, bodhisattva of wisdom, bodhisattva who drained the lake, drained the lake',
    Harati: 'ajima, hariti, goddess of smallpox, smallpox goddess',
    Bajrayogini: 'vajrayogini, bajra yogini, bajrajogini',
  })

const periods = (): Concept[] =>
  Object.entries(reigns).map(([label, { words, from, to }]) => ({
    as: 'period',
    label,
    phrases: [label, ...phrasesOf(words)],
    years: { from, to, partly: false },
  }))

const ordinals = () =>
  `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
  fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`.split(/\s+/)
const nth = (n: number) => `${n}${['th', 'st', 'nd', 'rd'][n > 3 && n < 21 ? 0 : n % 10] ?? 'th'}`
/** Centuries of the common era, as both languages write them. */
const centuries = (): Concept[] =>
  Array.from({ length: 21 }, (_, i) => i + 1).map((n) => ({
    as: 'century',
    label: `${nth(n)} century`,
    years: { from: n * 100 - 99, to: n * 100, partly: true },
    phrases: [
      ...['century', 'cent', 'centuries'].flatMap((word) => [`${nth(n)} ${word}`, `${n} ${word}`]),
      ...(ordinals()[n - 1] ? [`${ordinals()[n - 1]} century`] : []),
      ...['शताब्दी', 'सताब्दी', 'shatabdi'].flatMap((word) => [
        `${n} ${word}`,
        `${n}औं ${word}`,
        `${n}औँ ${word}`,
        `${n} औं ${word}`,
      ]),
    ],
  }))

/** Months of the Nepali, Newar and Gregorian year. The months in `near` overlap with a month, so they fit less well. */
const monthRows = (): Readonly<Record<string, readonly [words: string, near: string]>> => ({
  Baisakh: ['vaisakh, baishakh, vaishakh, बैशाख, वैशाख', 'April, May'],
  Jestha: ['jeth, jyestha, jyeshtha', 'May, June'],
  Asar: ['ashadh, asadh, ashad, asaar', 'June, July'],
  Shrawan: ['saun, sawan, shravan, srawan, gunla', 'July, August'],
  Bhadra: ['bhadau, bhado, bhadrapada', 'August, September'],
  Ashwin: ['asoj, asoz, ashvin, asvin', 'September, October'],
  Kartik: ['kattik, kartika', 'October, November'],
  Mangsir: ['marga, margashirsha, mansir', 'November, December'],
  Poush: ['push, pus, paush, pausha', 'December, January'],
  Magh: ['magha', 'January, February'],
  Falgun: ['phagun, phalgun, fagun, phalguna', 'February, March'],
  Chaitra: ['chait, chaita', 'March, April'],
  ...{ January: ['jan, जनवरी', ''], February: ['feb, फेब्रुअरी', ''], March: ['मार्च', ''], April: ['apr, अप्रिल', ''] },
  ...{ May: ['मई', ''], June: ['jun, जुन', ''], July: ['jul, जुलाई', ''], August: ['aug, अगस्ट', ''] },
  ...{ September: ['sep, sept', ''], October: ['oct, अक्टोबर', ''], November: ['nov, नोभेम्बर', ''] },
  ...{ December: ['dec, डिसेम्बर', ''] },
})
const months = (): Concept[] =>
  Object.entries(monthRows()).map(([label, [words, near]]) => ({
    as: 'month',
    label,
    phrases: [label, ...phrasesOf(words)],
    near: monthsNear(label, phrasesOf(near).filter(Boolean)),
  }))

/** The months that overlap with a month. Each pair is written once, in the row of one of the two. */
function monthsNear(label: string, own: readonly string[]): string[] {
  return Object.entries(monthRows()).flatMap(([other, [, near]]) => {
    if (phrasesOf(near).includes(label)) return [other]
    return other === label ? own : []
  })
}

/** The seasons of the Nepali year as people ask for them, with their months. */
const seasons = (): Concept[] =>
  Object.entries({
    Winter: [
      'winter, hiundo, jado, shishir, hemanta, जाडो, हिउँद',
      'Mangsir, Poush, Magh, November, December, January, February',
    ],
    Spring: ['spring, basanta, vasanta, वसन्त', 'Falgun, Chaitra, Baisakh, February, March, April'],
    Summer: ['summer, grishma, garmi, गर्मी, ग्रीष्म', 'Jestha, Asar, May, June, July'],
    Monsoon: [
      'monsoon, rainy season, barkha, barsha, वर्षा, बर्खा',
      'Asar, Shrawan, Bhadra, June, July, August, September',
    ],
    Autumn: ['autumn, sharad, शरद', 'Ashwin, Kartik, September, October, November'],
  }).map(([label, [words = '', near = '']]) => ({
    as: 'month',
    label,
    phrases: phrasesOf(words),
    near: phrasesOf(near),
  }))

const materials = () =>
  conceptsFrom('material', {
    Wood: 'wooden, timber, kashtha',
    Stone: 'dhunga, dhunge, lohan',
    Gold: 'golden, gilt, gilded, suvarna',
    Silver: 'chandi dhatu',
    Copper: 'tama, repousse',
    Bronze: 'kans, dhalot',
    Brick: 'bricks, inta',
    Clay: 'terracotta, mato',
  })

/** All concepts. They are made with the first question, since most functions never search. */
export const concepts = (): readonly Concept[] => [
  ...sortsOfRecords().map((it) => (beings.has(it.label) ? { ...it, isOwner: true } : it)),
  ...places(),
  ...deities().map((it) => ({ ...it, isName: true })),
  ...periods(),
  ...centuries(),
  ...months(),
  ...materials(),
  ...states(),
  ...seasons(),
]
