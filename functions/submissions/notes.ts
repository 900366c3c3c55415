import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { kindKeys } from '../../lib/domain/kinds/index.ts'
import { noteStateNames, noteTypeNames, noteWayNames, verdicts } from '../../lib/domain/notes/items.ts'
import { countNotes, keysNamedBy, listNotes, searchNotes } from '../../lib/domain/notes/list.ts'
import { leaveNote, loadNote } from '../../lib/domain/notes/notes.ts'
import { decideOnNote, targetNames } from '../../lib/domain/notes/review.ts'
import {
  NoteCountsView,
  NoteDecidedView,
  NoteLeftView,
  NoteView,
  noteRow,
  noteTexts,
} from '../../lib/domain/notes/view.ts'
import { getMany } from '../../lib/engines/table/index.ts'
import { creation, listOf, ok } from '../../lib/platform/http/answer.ts'
import {
  choice,
  emailAddress,
  line,
  lines,
  members,
  optionalChoice,
  orEmpty,
  prose,
  REQUIRED,
  uuidOf,
} from '../../lib/platform/http/body.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { ById, optionalQueryChoice, QueryText, queryChoice } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'

const BLANK = 'This field may not be blank.'
const NUMBER = 'Give a number.'
const degrees = (most: number) =>
  v.pipe(
    v.nullish(v.pipe(v.number(NUMBER), v.minValue(-most, NUMBER), v.maxValue(most, NUMBER)), null),
    // Six decimals are a tenth of a metre.
    v.transform((it) => (it === null ? null : Math.round(it * 1e6) / 1e6)),
  )
/** Visitors need not leave an address. Forms then send null or an empty text. */
const contactAddress = v.pipe(
  v.nullish(v.string('Not a valid text.'), ''),
  v.trim(),
  v.union([v.literal(''), emailAddress], 'Enter a valid email address.'),
)
/** The id of a record, in either form: its review identity, or its number within its kind. */
const anyId = v.pipe(
  v.nullish(v.union([v.string(), v.number()], 'Not a valid text.'), ''),
  v.transform(String),
  line(255),
  v.trim(),
)
const NewNote = members({
  entity_id: anyId,
  entity_type: v.pipe(
    optionalChoice(kindKeys),
    v.transform((it) => it ?? ''),
  ),
  entity_name: v.pipe(v.string(REQUIRED), line(255), v.trim(), v.nonEmpty(BLANK)),
  contribution_type: v.pipe(
    optionalChoice(noteTypeNames),
    v.transform((it) => it ?? 'other'),
  ),
  content: v.pipe(v.string(REQUIRED), lines(4000), v.trim(), v.nonEmpty(BLANK)),
  contributor_name: v.pipe(
    orEmpty(line(255)),
    v.trim(),
    v.transform((it) => it || 'Anonymous'),
  ),
  contributor_email: contactAddress,
  contributor_phone: v.pipe(orEmpty(line(20)), v.trim()),
  source_description: prose(1000),
  submitted_via: v.pipe(
    optionalChoice(noteWayNames),
    v.transform((it) => it ?? 'qr_scan'),
  ),
  latitude: degrees(90),
  longitude: degrees(180),
})
const Review = members({
  status: choice(verdicts),
  review_notes: prose(5000),
  link_to_entity_id: v.nullish(
    v.union(
      [
        v.pipe(
          v.literal(''),
          v.transform(() => null),
        ),
        uuidOf(),
      ],
      'Not a valid UUID.',
    ),
    null,
  ),
  target_type: optionalChoice(targetNames),
})
const Query = v.object({
  status: optionalQueryChoice(noteStateNames),
  contribution_type: optionalQueryChoice(noteTypeNames),
  submitted_via: optionalQueryChoice(noteWayNames),
  search: QueryText,
  ordering: queryChoice(['-created_at', 'created_at']),
})

const subject = ({ id }: { id: string }) => loadNote(id)
const LEFT = 'Thank you. Reviewers will look at your note.'
const DECIDED = 'The note is decided on.'

/** Notes that visitors leave, mostly by a QR code at a monument. */
export const notes = {
  'GET /data/public-contributions/': actorRoute({
    permission: 'note.list',
    summary: 'List what visitors have left, the latest first',
    description: 'Addresses of visitors and notes of reviewers are for reviewers alone.',
    answer: listOf(NoteView),
    translatedPaths: noteTexts.map((name) => `results.*.${name}`),
    query: Query,
    handle: async ({ query, actor, page, request }) => {
      const filter = {
        state: query.status,
        type: query.contribution_type,
        way: query.submitted_via,
        forward: query.ordering === 'created_at',
      }
      const { results, found, ...listed } = query.search
        ? await searchNotes(query.search, filter, page)
        : await listNotes(filter, page)
      return listBody(request, page, { ...listed, results: results.map((it) => noteRow(it, found, actor)) })
    },
  }),

  'POST /data/public-contributions/': publicRoute({
    permission: 'note.create',
    summary: 'Leave a note about something, without an account',
    description:
      'Reviewers read it, and may make a contribution of it. `entity_id` is a review identity, or with `entity_type` a number; what names no record is kept as it was sent. Addresses are for reviewers, and erased 90 days after the decision. The same text sent again within a day is one note.',
    answer: creation(NoteLeftView),
    translatedPaths: ['message'],
    body: NewNote,
    throttles: [
      { scope: 'notes', rate: 'RATE_NOTES', per: 'address', counts: 'every success' },
      { scope: 'notes_day', rate: 'RATE_NOTES_DAY', per: 'address', counts: 'every success' },
    ],
    handle: async ({ unit, actor, body, request }) => {
      const { contribution_type, submitted_via, contributor_name, contributor_email, contributor_phone, ...rest } = body
      const given = {
        ...rest,
        note_type: contribution_type,
        way: submitted_via,
        name: contributor_name,
        email: contributor_email,
        phone: contributor_phone,
      }
      const { id } = await leaveNote(unit, given, { actor, address: request.address })
      return replyCreated({ message: LEFT, id })
    },
  }),

  'GET /data/public-contributions/stats/': actorRoute({
    permission: 'note.count',
    summary: 'Count what visitors have left',
    answer: ok(NoteCountsView),
    handle: async () => {
      const count = await countNotes()
      return {
        total: count({}),
        pending: count({ state: 'pending' }),
        approved: count({ state: 'approved' }),
        rejected: count({ state: 'rejected' }),
        incorporated: count({ state: 'incorporated' }),
        by_type: noteTypeNames.map((type) => ({ contribution_type: type, count: count({ type }) })),
        by_source: noteWayNames.map((way) => ({ submitted_via: way, count: count({ way }) })),
      }
    },
  }),

  'GET /data/public-contributions/{id}/': readRoute({
    permission: 'note.read',
    summary: 'Read a note of a visitor',
    answer: ok(NoteView),
    translatedPaths: [...noteTexts],
    params: ById,
    subject,
    handle: async ({ subject: { about }, actor }) => {
      // The permission requires a caller.
      if (!actor) throw new Error('a note without a reader')
      return noteRow(about, await getMany(keysNamedBy(about)), actor)
    },
  }),

  'POST /data/public-contributions/{id}/review/': changeRoute({
    permission: 'note.review',
    summary: 'Decide on a note of a visitor',
    description:
      'With `target_type` it becomes a new record, with `link_to_entity_id` (or `incorporated`, if it is about a record) a claim of that record. Both wait for review, and their author is the visitor.',
    answer: ok(NoteDecidedView),
    errors: [409],
    translatedPaths: ['message'],
    params: ById,
    subject,
    body: Review,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body, request }) => {
      const { id, state, promoted_entity } = await decideOnNote(unit, subject, actor, body, request.origin)
      return { message: DECIDED, id, status: state, promoted_entity_id: promoted_entity }
    },
  }),
} satisfies Routes
