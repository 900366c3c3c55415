import * as v from 'valibot'
import { phrase } from '../../base/language/languages.ts'
import { fold } from '../../engines/matching/index.ts'
import { defineItem } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'

/** This file declares how visitors' notes are stored. The wire calls them public contributions. */

/** What a note is about, with its label. */
export const noteTypes = {
  history: phrase('Historical Information'),
  story: phrase('Story or Legend'),
  tradition: phrase('Cultural Practice/Tradition'),
  memory: phrase('Personal Memory'),
  photo: phrase('Photo Description'),
  correction: phrase('Correction/Update'),
  other: phrase('Other Information'),
} as const
export type NoteType = keyof typeof noteTypes
export const noteTypeNames = Object.keys(noteTypes) as NoteType[]

/** How a note came, with its label. */
export const noteWays = {
  qr_scan: phrase('QR code'),
  web_form: phrase('Web form'),
  mobile_app: phrase('Mobile app'),
  field_survey: phrase('Field survey'),
} as const
export type NoteWay = keyof typeof noteWays
export const noteWayNames = Object.keys(noteWays) as NoteWay[]

/** The states of a note, with their labels. A note is decided on once. */
export const noteStates = {
  pending: phrase('Pending Review'),
  approved: phrase('Approved'),
  rejected: phrase('Rejected'),
  incorporated: phrase('Incorporated into a record'),
} as const
export type NoteState = keyof typeof noteStates
export const noteStateNames = Object.keys(noteStates) as NoteState[]
/** The states that a reviewer may choose. */
export const verdicts = ['approved', 'rejected', 'incorporated'] as const satisfies readonly NoteState[]

const text = v.optional(v.string(), '')
const nullableText = v.optional(v.nullable(v.string()), null)

/** A note. Its text is an item of its own, so that lists of notes stay small. */
const Note = v.object({
  id: v.string(),
  /** The review identity of the record that it is about. Null if the visitor named none that the visitor may see. */
  entity_id: nullableText,
  /** The id that the visitor sent, if no record that the visitor may see has it; else empty. Example: "4". */
  entity_reference_id: text,
  entity_name: v.string(),
  note_type: v.picklist(noteTypeNames),
  way: v.picklist(noteWayNames),
  name: v.string(),
  /** Contacts are for reviewers alone. They are erased some time after the decision. */
  email: text,
  phone: text,
  source_description: text,
  latitude: v.nullable(v.number()),
  longitude: v.nullable(v.number()),
  /** The sender, if signed in. Nobody decides on a note of their own. */
  sender_id: nullableText,
  state: v.picklist(noteStateNames),
  reviewed_by: nullableText,
  reviewed_at: nullableText,
  review_notes: text,
  /**
   * `promoted_entity`: the review identity of the record that was made of the note, or got a claim by it. `promoted_claim`: the id of that
   * claim.
   */
  promoted_entity: nullableText,
  promoted_claim: nullableText,
  /** When contacts are erased: ISO 8601. Null if there are none, or before the decision. */
  contacts_until: nullableText,
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Note = v.InferOutput<typeof Note>

type NoteFacts = { state?: NoteState | undefined; type?: NoteType | undefined; way?: NoteWay | undefined }
/** Names the list of all notes, or of those of a state, type and way. Each has an exact size. */
export const noteList = ({ state, type, way }: NoteFacts): string =>
  `NOTE${state ? `#STATE#${state}` : ''}${type ? `#TYPE#${type}` : ''}${way ? `#WAY#${way}` : ''}`
/** The group of the sizes of all lists of notes. */
export const NOTES = 'NOTE'

/** Notes with contacts, by the time of their erasure. */
export const CONTACTS = 'NOTE#CONTACTS'

export const note = defineItem({
  type: 'note',
  schema: Note,
  key: ({ id }: { id: string }) => key.note(id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.id}`
    return {
      gsi1: { pk: noteList({ state: it.state }), sk },
      gsi2: { pk: noteList({}), sk },
      gsi3: { pk: noteList({ type: it.note_type }), sk },
      ...(it.contacts_until !== null && { gsi4: { pk: CONTACTS, sk: `${it.contacts_until}#${it.id}` } }),
    }
  },
  counted: ({ state, note_type: type, way }) =>
    [undefined, state].flatMap((byState) =>
      [undefined, type].flatMap((byType) =>
        [undefined, way].map((byWay) => noteList({ state: byState, type: byType, way: byWay })),
      ),
    ),
})

/** The text of a note. It never changes. */
export const noteText = defineItem({
  type: 'note_text',
  schema: v.object({ id: v.string(), content: v.string(), version: v.literal(1) }),
  key: ({ id }: { id: string }) => key.noteText(id),
})

/** Marks that a sender sent a text within the last day. The digest names neither sender nor text. */
export const noteSent = defineItem({
  type: 'note_sent',
  schema: v.object({ digest: v.string(), note_id: v.string(), until: v.number(), version: v.number() }),
  key: ({ digest }: { digest: string }) => key.noteSent(digest),
  expires: (it) => it.until,
})

/** A note as the subject of permissions. */
export type NoteSubject = Subject & { about: Note; version: number }
/** Returns a note with its sender, who does not decide on it. */
export const asSubject = (about: Note): NoteSubject => ({
  about,
  contributor_id: about.sender_id,
  public: false,
  authors: about.sender_id === null ? [] : [about.sender_id],
  version: about.version,
})

/** The beginnings of the citation and of the remark of each claim that a review makes of a note. They name the visitor. */
export const visitorIn = (name: string) => ({ citation: `Note of a visitor (${name}), `, remark: `qr:${name}, ` })
/** The path of a note. A claim that was made of the note has an address ending in it as its `source_url`. */
export const noteAddress = (id: string): string => `/data/public-contributions/${id}/`

/** The most words by which a note is found. Each is a write of the visitor's request, which may cost 100 units. */
const MOST_WORDS = 20

/** The folded words by which a note is found: of the names first, then of its text from the beginning. */
export const wordsOf = ({ entity_name, name }: Note, content: string): string[] =>
  [...new Set([entity_name, name, content].flatMap((part) => fold(part).split(' ')).map((word) => word.slice(0, 60)))]
    .filter(Boolean)
    .slice(0, MOST_WORDS)
