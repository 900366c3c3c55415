import type { Row } from '../import/rows.ts'
import { cite } from './citations.ts'

/** Records that wait for review, so that every list of the local stage holds something. */
export const waitingRows: readonly Row[] = [
  {
    id: 'demo:structure/maya-devi',
    kind: 'structure',
    name: 'Maya Devi temple of Lumbini',
    name_ne: 'मायादेवी मन्दिर',
    structure_type: 'Temple',
    has_current_location: 'demo:location/lumbini',
    coordinates: '27.4695, 83.2759',
    existence_status: 'Extant',
    description: 'A shelter over the excavated shrines that mark the place of birth; the oldest is of timber.',
    ...cite.coningham,
  },
  {
    id: 'demo:tradition/charya',
    kind: 'tradition',
    name: 'Charya dance of Newar priests',
    type: 'dance',
    description: 'Slow dances in which priests become the gods of whom they sing.',
    ...cite.gellner,
  },
  {
    id: 'demo:festival/sa-paru',
    kind: 'festival',
    name: 'Sa Paru (cow procession)',
    name_ne: 'गाईजात्रा',
    festival_type: 'Jatra',
    lunar_date_tithi: 'Bhadra Krishna Pratipada',
    location_name: 'Bhaktapur',
    description: 'Families who lost someone in the year send a cow, or a child dressed as one, round the town.',
    ...cite.gellner,
  },
]

/** Sent back to its contributor with a question. */
export const questionedRow: Row = {
  id: 'demo:person/bhimsen-thapa',
  kind: 'person',
  name: 'Bhimsen Thapa (minister)',
  name_ne: 'भीमसेन थापा',
  birth_date: '1775',
  death_date: '1839',
  occupation: ['Chief minister'],
  description: 'Ruled as mukhtiyar for three decades and built the tower Dharahara.',
  ...cite.whelpton,
}

/** Rejected: it is a legend and says nothing that can be checked. */
export const declinedRow: Row = {
  id: 'demo:event/draining-of-the-lake',
  kind: 'event',
  name: 'Draining of the valley lake',
  type: 'historical',
  start_date: 'In the first age',
  description: 'Manjushri cuts the gorge of Chobar with his sword, and the lake runs out.',
  ...cite.slusser,
  confidence: 'speculative',
}

/** A published record with two rival years. */
export const contestedRow: Row = {
  id: 'demo:structure/dharahara',
  kind: 'structure',
  name: 'Dharahara tower',
  name_ne: 'धरहरा',
  structure_type: 'Other',
  construction_date: '1825',
  date_precision: 'exact_year',
  coordinates: '27.7006, 85.3122',
  existence_status: 'Restored',
  commissioned_by: 'Bhimsen Thapa',
  description: 'A watch tower that fell in 1934 and in 2015 and was built anew both times.',
  ...cite.whelpton,
}

/** Perhaps the same tower, from another contributor: somebody is asked whether it is. */
export const twinRow: Row = {
  id: 'demo:structure/dharahara-again',
  kind: 'structure',
  name: 'Dharahara (Bhimsen tower)',
  name_ne: 'धरहरा',
  structure_type: 'Other',
  coordinates: '27.7007, 85.3123',
  description: 'The tower near Sundhara, as another contributor found it in a guide.',
  ...cite.whelpton,
}

/** A waiting edit of the contested record by its contributor. */
export const edit = {
  condition: 'Excellent',
  assertion: {
    source_type: 'field_survey',
    source_citation: 'Demonstration: what someone noted who stood before the tower.',
    confidence: 'likely',
  },
}

/** Another contributor's claim about it, a rival of the standing one. */
export const rival = {
  asserted_property: 'construction_date',
  asserted_value: '1832',
  source_type: 'web',
  source_citation: 'Demonstration of a rival claim: no source says so here.',
  confidence: 'speculative',
  data_quality_note: 'Two towers stood here one after the other, and their years are often mixed up.',
}
