import { isNamed, isOwn, type Share } from '../report.ts'
import { allMarkers, type Marked } from '../world/markers.ts'
import { type Cut, changedMarkers } from '../world/sources.ts'
import { inTurn, type Part, tried } from './trials.ts'
import {
  alwaysTrue,
  callingInstead,
  emptied,
  firstWriteLost,
  leftOut,
  notAwaited,
  notRaised,
  onlyAdded,
  onlyFirstPart,
  onlyObject,
  returning,
  valued,
  type Way,
  withoutConditions,
} from './ways.ts'

/**
 * Faults that are put into the sources on purpose, one at a time. `npm run prove -- --mutants` must notice each of them. The sources stay as
 * they are: only the loaded code is changed, at a marker, `// prove: client-token`.
 */
type Mutant = {
  name: string
  /** The name of the marker above the code that is broken. */
  marker: string
  way: Way
  /** Arguments of `npm run prove` that find the fault; the first that does ends the trial. */
  parts: readonly Part[]
}

const race = (...kinds: string[]) => kinds.map((kind) => ['--only', 'races', '--at', kind])
const inCells = [['--only', 'cells']]
/** One record, read by everyone in each state. */
const READS = 'GET /api/v1/cidoc/structures/{id}/|GET /api/v1/data/cultural-entities/{entity_id}/'
const inReads = [['--only', 'cells', '--some', '1', '--at', READS]]
const jobs = (...names: string[]) => names.map((name) => ['--only', 'background', '--at', name, '--some', '1'])
const everyFault = (operation: string) => [['--only', 'faults', '--at', operation, '--some', '1']]

const mutants: readonly Mutant[] = [
  {
    name: 'a put does not mind what is there',
    marker: 'put-condition',
    way: emptied('alternate'),
    parts: race('one slug', 'one username'),
  },
  {
    name: 'a put does not mind the version',
    marker: 'put-condition',
    way: emptied('consequent'),
    parts: race('two accept', 'two amend'),
  },
  {
    name: 'a removal does not mind the version',
    marker: 'remove-condition',
    way: leftOut,
    parts: race('delete an asset twice', 'take back twice'),
  },
  {
    name: 'a counted entry is put twice',
    marker: 'add-counted-condition',
    way: leftOut,
    parts: [...everyFault('restore what names others'), ...race('delete and link', 'much at once')],
  },
  {
    name: 'a counted entry is removed twice',
    marker: 'remove-counted-condition',
    way: leftOut,
    parts: race('delete twice'),
  },
  {
    name: 'a lease is taken from who has it',
    marker: 'lease-condition',
    way: alwaysTrue,
    parts: race('two claim', 'two contributions name a new place'),
  },
  { name: 'a change of size is forgotten', marker: 'list-sizes', way: leftOut, parts: race('look-alikes') },
  {
    name: 'a retried transaction is another one',
    marker: 'client-token',
    way: leftOut,
    parts: everyFault('amend what waits'),
  },
  {
    name: 'what throttles takes one more',
    marker: 'hit-limit',
    way: valued((limit) => `${limit} + 1`),
    parts: race('no more than the limit'),
  },
  {
    name: 'a lost reply counts a hit twice',
    marker: 'hit-condition',
    way: onlyFirstPart,
    parts: everyFault('start a project|announce an upload'),
  },
  {
    name: 'what fails counts all the same',
    marker: 'hits-given-back',
    way: valued(() => '() => Promise.resolve()'),
    parts: everyFault('send a table as a workbook'),
  },
  {
    name: 'a hit that was counted is refused where its reply is lost',
    marker: 'own-hit',
    way: returning(() => 'false'),
    parts: everyFault('start a project|announce an upload'),
  },
  {
    name: 'of a group that is split an action is lost',
    marker: 'next-pack',
    way: firstWriteLost,
    parts: jobs('decide on a long table'),
  },
  {
    name: 'whoever fails in a group is told that all is written',
    marker: 'pack-failure',
    way: callingInstead('resolve'),
    parts: [...race('decide on a batch and decide'), ...jobs('run a table')],
  },
  {
    name: 'in a group nobody waits for what is written',
    marker: 'pack-wait',
    way: returning((written) => `${written}.catch(() => undefined) && Promise.resolve()`),
    parts: [...race('decide on a batch and decide'), ...jobs('run a table')],
  },
  {
    name: 'a group minds no conditions',
    marker: 'pack-writes',
    way: withoutConditions,
    parts: race('run a table and amend'),
  },
  {
    name: 'nobody waits for a transaction',
    marker: 'transaction-wait',
    way: notAwaited,
    parts: race('two accept', 'one slug'),
  },
  {
    name: 'unprocessed writes are dropped',
    marker: 'unprocessed-writes',
    way: returning(() => '[]'),
    parts: race('two merge', 'merge and decide'),
  },
  {
    name: 'unprocessed reads are dropped',
    marker: 'unprocessed-reads',
    way: returning(() => '[]'),
    parts: race('much at once', 'read all while more come', 'merge and decide'),
  },
  {
    name: 'a merge is over before it is decided',
    marker: 'switch-wait',
    way: notAwaited,
    parts: race('two merge', 'merge and decide'),
  },
  {
    name: 'what a merge has taken away stays marked',
    marker: 'gone-items',
    way: leftOut,
    parts: race('two roll back', 'two merge'),
  },
  {
    name: 'a merge writes over what others changed',
    marker: 'staged-version',
    way: returning(() => 'true'),
    parts: race('merge and amend', 'merge and decide', 'roll back and amend'),
  },
  {
    name: 'a sequence hands a number out twice',
    marker: 'sequence-number',
    way: notRaised,
    parts: race('look-alikes', 'two answer'),
  },
  { name: 'the log of search has two ends', marker: 'log-length', way: onlyAdded, parts: race('much at once') },
  { name: 'an inbox is not counted up', marker: 'arrival', way: leftOut, parts: race('read all while more come') },
  {
    name: 'a notification is stored again',
    marker: 'stored-notification',
    way: leftOut,
    parts: race('read all while more come', 'much at once'),
  },
  {
    name: 'announcements have no end',
    marker: 'announced-end',
    way: leftOut,
    parts: race('look-alikes', 'much at once'),
  },
  {
    name: 'an announcement may be made again',
    marker: 'announced-event',
    way: leftOut,
    parts: race('look-alikes', 'much at once'),
  },
  {
    name: 'what was announced once is announced anew',
    marker: 'announced-before',
    way: onlyObject,
    parts: race('look-alikes', 'much at once'),
  },
  {
    name: 'a month is closed with what is counted after it',
    marker: 'month-closed',
    way: leftOut,
    parts: race('two close a month'),
  },
  {
    name: 'links are not followed',
    marker: 'links',
    way: leftOut,
    parts: race('accept an edit and edit again', 'delete and link', 'much at once'),
  },
  {
    name: 'the feed tells of what is hidden',
    marker: 'history-audience',
    way: leftOut,
    parts: race('comment and hide', 'accept and amend'),
  },
  {
    name: 'comments tell of what is hidden',
    marker: 'comments-audience',
    way: leftOut,
    parts: race('delete twice', 'comment and hide'),
  },
  { name: 'the queue is not left', marker: 'queue-left', way: leftOut, parts: race('accept and delete') },
  { name: 'tiers are not minded', marker: 'tier', way: valued(() => 'true'), parts: inReads },
  { name: 'everyone sees what waits', marker: 'own', way: valued(() => 'true'), parts: inReads },
  { name: 'what is deleted is seen', marker: 'deleted', way: valued(() => 'false'), parts: inReads },
  { name: 'whoever is signed in is staff', marker: 'staff', way: valued(() => '() => true'), parts: inCells },
  { name: 'whoever is signed in reviews', marker: 'reviewer', way: valued(() => '() => true'), parts: inCells },
]

/** The cut with this number. */
export function mutantAt(number: string): Cut {
  const mutant = mutants[Number(number)]
  if (!mutant) throw new Error(`there is no mutant ${number}`)
  return cutOf(mutant, markersByName())
}

const markersByName = (): ReadonlyMap<string, readonly Marked[]> => Map.groupBy(allMarkers(), ({ marker }) => marker)

function cutOf({ name, marker, way }: Mutant, markers: ReadonlyMap<string, readonly Marked[]>): Cut {
  const [marked, another] = markers.get(marker) ?? []
  if (!marked || another)
    throw new Error(`the marker "// prove: ${marker}" must stand in the sources once, for the mutant: ${name}`)
  return { file: marked.file, ...way(marked) }
}

/** What is wrong with markers, each in a sentence: mutants that find no code to break, and markers that nothing uses. */
export function brokenMarkers(): string[] {
  const markers = markersByName()
  const broken = mutants.flatMap((mutant) => {
    try {
      cutOf(mutant, markers)
      return []
    } catch (error) {
      return [String(error)]
    }
  })
  const used = new Set([...mutants.map(({ marker }) => marker), ...changedMarkers])
  const unused = [...markers.keys()].filter((marker) => !used.has(marker))
  return [...broken, ...unused.map((marker) => `nothing uses the marker "// prove: ${marker}"`)]
}

/** Tries all of them, or those that are named; answers how many nobody noticed, or were found wrong where nothing is cut. */
export async function tryMutants(seed: number, workers: number, share: Share, only?: string): Promise<number> {
  const markers = markersByName()
  for (const mutant of mutants) cutOf(mutant, markers)
  let missed = 0
  const own = [...mutants.entries()].filter(
    ([number, { name }]) => isOwn(share, number) && (only === undefined || isNamed(name, only)),
  )
  await inTurn(own, workers, async ([number, { name, marker, parts }]) => {
    if (!(await tried(String(number), `${name} (${marker})`, parts, seed))) missed += 1
  })
  console.log(`mutants: ${own.length - missed} of ${own.length} were noticed, and not without them`)
  return missed
}
