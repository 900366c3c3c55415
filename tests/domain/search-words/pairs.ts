import type { Comparator } from '../../../lib/engines/matching/index.ts'

/*
 * Pairs from our own heads, each with a reason. They measure the rules as a whole: no rule is made for one pair.
 */

export type ClaimPair = { comparator: Comparator; a: string; b: string; agree: boolean; why: string }
/** Claims that all agree, or all contradict each other. */
export const says = (
  agree: boolean,
  comparator: Comparator,
  rows: readonly (readonly [a: string, b: string, why: string])[],
) => rows.map(([a, b, why]): ClaimPair => ({ comparator, a, b, agree, why }))

/** Two values of one property. */
export const claimPairs: readonly ClaimPair[] = [
  ...says(true, 'text', [
    ['Patan', 'Lalitpur', 'two names of one town'],
    ['Bhaktapur', 'Bhadgaon', 'two names of one town'],
    ['पाटन', 'Lalitpur', 'one of them in another script'],
    ['Taumadhi, Bhaktapur', 'Taumadhi, Khwopa', 'one square of a town with two names'],
    ['Swayambhu, Kathmandu', 'Kathmandu', 'a part of the town'],
    ['Timber', 'Wood', 'two words for one material'],
    ['Brick and wood', 'timber and bricks', 'the same materials in another order'],
    ['Gilt copper', 'gilded copper', 'two forms of one word'],
    ['8 days', 'eight days', 'a number as a word'],
    ['two weeks', '14 days', 'another unit'],
    ['५ दिन', '5 days', 'digits and unit in another script'],
    ['1.5 m', '150 cm', 'another unit'],
    ['Every twelve years', 'every 12 years', 'a number as a word within a text'],
    ['three storeys', '3 storeys', 'a number as a word before a word that is no unit'],
    ['Stone tap', 'Dhunge dhara', 'two languages'],
    ['Chariot festival', 'Chariot jatra', 'two languages'],
    ['Mahadev', 'Shiva', 'two names of one god'],
    ['Narayan', 'Vishnu', 'two names of one god'],
    ['Saraswati Puja', 'Saraswoti Puja', 'two spellings'],
  ]),
  ...says(true, 'number', [['1,200 m', '1.2 km', 'another unit']]),
  ...says(false, 'text', [
    ['Bhupatindra Malla', 'Bhupalendra Malla', 'two kings, a century apart'],
    ['Pratap Malla', 'Prithvi Malla', 'two kings'],
    ['Yaksha Malla', 'Jayasthiti Malla', 'two kings of one house'],
    ['Mahendra', 'Birendra', 'father and son'],
    ['8 days', 'nine days', 'another number'],
    ['two weeks', 'two days', 'another unit of the same number'],
    ['1.5 m', '1.5 km', 'another unit of the same number'],
    ['every year', 'every twelve years', 'another number'],
    ['Patan', 'Bhaktapur', 'two towns'],
    ['Wood', 'Stone', 'two materials'],
    ['Vishnu', 'Shiva', 'two gods'],
  ]),
  ...says(false, 'number', [['120 cm', '2 m', 'another length']]),
]

/** Two records of one kind, so many metres apart. */
export type RecordPair = { a: string; b: string; metres: number; why: string }
/** Pairs of records from rows. */
export const pairsOf = (rows: readonly (readonly [a: string, b: string, metres: number, why: string])[]) =>
  rows.map(([a, b, metres, why]): RecordPair => ({ a, b, metres, why }))

/** One thing, recorded twice. */
export const duplicatePairs = pairsOf([
  ['Kamal Tank', 'Kamal Pokhari', 14, 'two languages'],
  ['Bhandarkhal Tank', 'Bhandarkhal Pokhari', 40, 'two languages'],
  ['Ikhachhen Hiti', 'Ikha Chhen Dhara', 20, 'written apart, two languages'],
  ['Kumbheshwar Temple', 'Kumbeshwor Mandir', 60, 'spelling, two languages'],
  ['Sundhara', 'Sun Dhara', 12, 'written apart'],
  ['Golden Temple (Kwa Bahal)', 'Kwa Baha', 30, 'the other name is a remark'],
  ['Hiranya Varna Mahavihar', 'Hiranyavarna Mahabihar', 25, 'written apart, spelling'],
  ['Rani Pokhari', "Queen's Pond", 18, 'translated as a whole'],
  ['Uma Maheshwar Temple, Kirtipur', 'Uma Maheshwor Mandir', 35, 'one with its town'],
  ['Bagh Bhairav', 'Bagh Bhairab Temple', 45, 'one without the sort'],
  ['Chilancho Stupa', 'Chilamchu Chaitya', 28, 'spelling, two languages'],
  ['Dattatreya Temple', 'Dattatraya Mandir', 70, 'spelling, two languages'],
  ['Til Mahadev Narayan', 'Tilmahadev Narayan Temple', 15, 'written apart'],
  ['Nyatapola', 'Nyatpol Temple', 10, 'a vowel left out'],
  ['Siddha Pokhari', 'Ta Pukhu (Siddha Pokhari)', 50, 'the other name is a remark'],
  ['Bhimsen Pati', 'Bhimsen Rest House', 9, 'two languages, after a god'],
  ['Lohan Hiti', 'Lon Hiti', 10, 'two ways to write a sound'],
  ['गणेश मन्दिर', 'Ganesh Temple', 12, 'two scripts, after a god'],
  ['Pim Bahal Pokhari', 'Pimbahal Pond', 22, 'written apart, two languages'],
  ['Charumati Vihar', 'Charumati Bihar', 30, 'spelling'],
  ['Mahaboudha', 'Mahabuddha Temple', 20, 'spelling'],
  ['Vajrayogini Temple', 'Bajra Jogini Mandir', 80, 'spelling, written apart'],
  ['Tusha Hiti', 'Tusa Hiti', 5, 'spelling'],
  ['Manga Hiti', 'Manga Dhara', 6, 'two languages'],
  ['Ashok Stupa', 'Ashoka Chaitya', 40, 'a silent vowel, two languages'],
  ['Indrayani Temple', 'Indrayani Pith', 30, 'a seat of a goddess is her shrine'],
  ['Jagannath Temple', 'Jagannath Degah', 25, 'two languages'],
  ['Old Well', 'Purano Inar', 4, 'translated as a whole, at one spot'],
  ['Balkumari Temple', 'Bal Kumari Mandir', 55, 'written apart'],
  ['Sankata Temple', 'Sankata Devi', 33, 'called after the goddess alone'],
])

/** Two things that look alike. */
export const traps = pairsOf([
  ['Krishna Mandir', 'Krishna Mandir', 900, 'every town has one'],
  ['Bhimsen Temple', 'Bhimsen Temple', 400, 'every town has one'],
  ['Ganesh Temple', 'Shiva Temple', 14, 'two gods side by side'],
  ['Mahadev Temple', 'Narayan Temple', 8, 'two gods side by side'],
  ['Kamal Pokhari', 'Kamal Pati', 60, 'a pond, and a rest house beside it'],
  ['Naga Pokhari', 'Naga Hiti', 40, 'a pond, and a spout beside it'],
  ['East Gate', 'West Gate', 60, 'two gates of one wall'],
  ['Ta Bahal', 'Na Bahal', 90, 'two courts with short names'],
  ['Small Pokhari', 'Big Pokhari', 30, 'two ponds that size tells apart'],
  ['Stupa 1', 'Stupa 2', 20, 'two of a row'],
])
