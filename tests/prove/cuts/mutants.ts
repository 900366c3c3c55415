import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isNamed, isOwn, type Share } from '../report.ts'
import { type Cut, ROOT } from '../world/sources.ts'
import { inTurn, type Part, tried } from './trials.ts'

/**
 * Whether what proves would notice: takes one condition or one wait out of the writes at a time, and looks whether something is
 * found wrong then. The sources stay as they are; only what is loaded is changed.
 */
type Mutant = {
  name: string
  file: string
  was: string
  is: string
  nth?: number
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
    file: 'lib/engines/table/item.ts',
    was: "{ ConditionExpression: 'attribute_not_exists(pk)' }),",
    is: '{}),',
    parts: race('one slug', 'one username'),
  },
  {
    name: 'a put does not mind the version',
    file: 'lib/engines/table/item.ts',
    was: '...(old ? over(old) : ',
    is: '...(old ? {} : ',
    parts: race('two accept', 'two amend'),
  },
  {
    name: 'a removal does not mind the version',
    file: 'lib/engines/table/item.ts',
    was: 'Key: item.key(old), ...over(old) } },',
    is: 'Key: item.key(old) } },',
    parts: race('delete an asset twice', 'take back twice'),
  },
  {
    name: 'a counted entry is put twice',
    file: 'lib/engines/table/item.ts',
    was: ", ConditionExpression: 'attribute_not_exists(pk)' },\n  },\n  counts: { [list]: 1 }",
    is: ' },\n  },\n  counts: { [list]: 1 }',
    parts: [...everyFault('restore what names others'), ...race('delete and link', 'much at once')],
  },
  {
    name: 'a counted entry is removed twice',
    file: 'lib/engines/table/item.ts',
    was: ", ConditionExpression: 'attribute_exists(pk)' } },\n  counts: { [list]: -1 }",
    is: ' } },\n  counts: { [list]: -1 }',
    parts: race('delete twice'),
  },
  {
    name: 'a lease is taken from who has it',
    file: 'lib/engines/table/lease.ts',
    was: ' = :me OR expires_at <= :now',
    is: ' = :me OR expires_at <= :now OR expires_at >= :now',
    parts: race('two claim', 'two contributions name a new place'),
  },
  {
    name: 'a change of size is forgotten',
    file: 'lib/engines/table/transact.ts',
    was: '...counterUpdates(writes)]',
    is: ']',
    parts: race('look-alikes'),
  },
  {
    name: 'a retried transaction is another one',
    file: 'lib/engines/table/transact.ts',
    was: ', ClientRequestToken: newId() }',
    is: ' }',
    parts: everyFault('amend what waits'),
  },
  {
    name: 'what throttles takes one more',
    file: 'lib/engines/table/write.ts',
    was: "':limit': limit - by",
    is: "':limit': limit - by + 1",
    parts: race('no more than the limit'),
  },
  {
    name: 'a lost reply counts a hit twice',
    file: 'lib/engines/table/write.ts',
    was: "'(attribute_not_exists(#n) OR #n <= :limit) AND (attribute_not_exists(#last) OR #last <> :token)'",
    is: "'attribute_not_exists(#n) OR #n <= :limit'",
    parts: everyFault('start a project|announce an upload'),
  },
  {
    name: 'what fails counts all the same',
    file: 'lib/platform/http/throttle.ts',
    was: '({ place, limit, expires_at }) => addBelow(place, limit, expires_at, -hits),',
    is: '() => Promise.resolve(),',
    parts: everyFault('send a table as a workbook'),
  },
  {
    name: 'a hit that was counted is refused where its reply is lost',
    file: 'lib/engines/table/write.ts',
    was: 'return error.Item?.last?.S === token',
    is: 'return false',
    parts: everyFault('start a project|announce an upload'),
  },
  {
    name: 'of a group that is split an action is lost',
    file: 'lib/engines/table/together.ts',
    was: 'packs.push({ members: [one]',
    is: 'packs.push({ members: [packs.length === 0 ? one : { ...one, writes: one.writes.slice(1) }]',
    parts: jobs('decide on a long table'),
  },
  {
    name: 'whoever fails in a group is told that all is written',
    file: 'lib/engines/table/together.ts',
    was: 'if (isFinal) written.reject(error)',
    is: 'if (isFinal) written.resolve()',
    parts: [...race('decide on a batch and decide'), ...jobs('run a table')],
  },
  {
    name: 'in a group nobody waits for what is written',
    file: 'lib/engines/table/together.ts',
    was: 'return written.promise',
    is: 'return written.promise.catch(() => undefined) && Promise.resolve()',
    parts: [...race('decide on a batch and decide'), ...jobs('run a table')],
  },
  {
    name: 'a group minds no conditions',
    file: 'lib/engines/table/together.ts',
    was: 'await transactAlone(pack.flatMap(({ writes }) => writes))',
    is: `await transactAlone(pack.flatMap(({ writes }) => writes.map((it) =>
      pack.length > 1 && it.action.Put
        ? { ...it, action: { Put: { TableName: it.action.Put.TableName, Item: it.action.Put.Item } } }
        : it)))`,
    parts: race('run a table and amend'),
  },
  {
    name: 'nobody waits for a transaction',
    file: 'lib/engines/table/transact.ts',
    was: 'await db.send(new TransactWriteCommand(command))',
    is: 'void db.send(new TransactWriteCommand(command)).catch(() => undefined)',
    parts: race('two accept', 'one slug'),
  },
  {
    name: 'unprocessed writes are dropped',
    file: 'lib/engines/table/write.ts',
    was: 'left = UnprocessedItems ?? {}',
    is: 'left = {}',
    parts: race('two merge', 'merge and decide'),
  },
  {
    name: 'unprocessed reads are dropped',
    file: 'lib/engines/table/two-phase/staged.ts',
    was: 'left = UnprocessedKeys ?? {}',
    is: 'left = {}',
    parts: race('much at once', 'read all while more come', 'merge and decide'),
  },
  {
    name: 'a merge is over before it is decided',
    file: 'lib/engines/table/two-phase/commit.ts',
    was: 'await transaction.switchOver(id, writes)',
    is: 'void transaction.switchOver(id, writes).catch(() => undefined)',
    parts: race('two merge', 'merge and decide'),
  },
  {
    name: 'what a merge has taken away stays marked',
    file: 'lib/engines/table/two-phase/settle.ts',
    was: "await eachOf(of(part, 'gone'), (at) => drop(at, part.id), until)\n  await eachOf(\n    part.touched",
    is: 'await eachOf(\n    part.touched',
    parts: race('two roll back', 'two merge'),
  },
  {
    name: 'a merge writes over what others changed',
    file: 'lib/engines/table/two-phase/stage.ts',
    was: 'if (version !== undefined) return old?.version === version',
    is: 'if (version !== undefined) return true',
    parts: race('merge and amend', 'merge and decide', 'roll back and amend'),
  },
  {
    name: 'a sequence hands a number out twice',
    file: 'lib/engines/table/sequence.ts',
    was: 'block.next++',
    is: 'block.next',
    parts: race('look-alikes', 'two answer'),
  },
  {
    name: 'the log of search has two ends',
    file: 'lib/engines/search/log.ts',
    was: 'put(end, next, old, faster)',
    is: 'put(end, { ...next, changes: changes.length }, old, faster)',
    parts: race('much at once'),
  },
  {
    name: 'an inbox is not counted up',
    file: 'lib/domain/notifications/send.ts',
    was: 'box = { ...box, arrived: box.arrived + 1 }\n',
    is: '\n',
    parts: race('read all while more come'),
  },
  {
    name: 'a notification is stored again',
    file: 'lib/domain/notifications/send.ts',
    was: 'if (stored) continue',
    is: 'if (stored && !sameEvent(stored, it)) continue',
    parts: race('read all while more come', 'much at once'),
  },
  {
    name: 'announcements have no end',
    file: 'lib/domain/notifications/announcements.ts',
    was: 'if (writes.length > 0) writes.push(put(announcedEnd, withNextVersion<End>(end, {}), old))\n',
    is: '\n',
    parts: race('look-alikes', 'much at once'),
  },
  {
    name: 'an announcement may be made again',
    file: 'lib/domain/notifications/announcements.ts',
    was: 'writes.push(put(announcedEvent, { notice, event, until: expiryOf(added), version: 1 }, undefined))\n',
    is: 'void [notice, event]\n',
    parts: race('look-alikes', 'much at once'),
  },
  {
    name: 'what was announced once is announced anew',
    file: 'lib/domain/notifications/announcements.ts',
    was: 'const fresh = news.filter((it) => !itemIn(found, announcedEvent, it))',
    is: 'const fresh = news',
    parts: race('look-alikes', 'much at once'),
  },
  {
    name: 'a month is closed with what is counted after it',
    file: 'lib/domain/leaderboard/order-statistic-tree.ts',
    was: "'N')\n  if (await isKept(board, month)) return\n",
    is: "'N')\n",
    parts: race('two close a month'),
  },
  {
    name: 'links are not followed',
    file: 'lib/domain/effects/apply.ts',
    was: 'await followEdges(publicEdges(old), publicEdges(next))\n',
    is: '\n',
    parts: race('accept an edit and edit again', 'delete and link', 'much at once'),
  },
  {
    name: 'the feed tells of what is hidden',
    file: 'lib/domain/effects/apply.ts',
    was: 'await moveHistory(old, next)',
    is: '',
    parts: race('comment and hide', 'accept and amend'),
  },
  {
    name: 'comments tell of what is hidden',
    file: 'lib/domain/effects/apply.ts',
    was: 'await moveComments(old, next)',
    is: '',
    parts: race('delete twice', 'comment and hide'),
  },
  {
    name: 'the queue is not left',
    file: 'lib/domain/records/queue-entry.ts',
    was: 'if (it.deleted_at !== null || !isPending(it.status)) return undefined\n',
    is: '\n',
    parts: race('accept and delete'),
  },
  {
    name: 'tiers are not minded',
    file: 'lib/platform/permissions.ts',
    was: 'isForEveryone: isForEveryone(it.access_tier),',
    is: 'isForEveryone: true,',
    parts: inReads,
  },
  {
    name: 'everyone sees what waits',
    file: 'lib/platform/permissions.ts',
    was: 'isOwn: owns(actor, it),',
    is: 'isOwn: true,',
    parts: inReads,
  },
  {
    name: 'what is deleted is seen',
    file: 'lib/platform/permissions.ts',
    was: 'isDeleted: Boolean(it.deleted_at),',
    is: 'isDeleted: false,',
    parts: inReads,
  },
  {
    name: 'whoever is signed in is staff',
    file: 'lib/platform/permissions.ts',
    was: 'const staff = (actor: Actor) => actor.is_staff',
    is: 'const staff = (_: Actor) => true',
    parts: inCells,
  },
  {
    name: 'whoever is signed in reviews',
    file: 'lib/platform/permissions.ts',
    was: "const reviewer = atLeast('community_reviewer')",
    is: 'const reviewer = (_: unknown) => true',
    parts: inCells,
  },
]

/** The cut with this number. */
export function mutantAt(number: string): Cut {
  const it = mutants[Number(number)]
  if (!it) throw new Error(`there is no mutant ${number}`)
  return placeOf(it)
}

function placeOf({ file, was, is, name }: Mutant): Cut {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const from = source.indexOf(was)
  if (from < 0) throw new Error(`${file} says it in another way; correct the mutant: ${name}`)
  return { file, from, to: from + was.length, with: is }
}

/** Which of them no longer find what they cut, each in a sentence. */
export const astray = (): string[] =>
  mutants.flatMap((it) => {
    try {
      placeOf(it)
      return []
    } catch (error) {
      return [String(error)]
    }
  })

/** Tries all of them, or those that are named; answers how many nobody noticed, or were found wrong where nothing is cut. */
export async function tryMutants(seed: number, workers: number, share: Share, only?: string): Promise<number> {
  for (const it of mutants) placeOf(it)
  let missed = 0
  const own = [...mutants.entries()].filter(
    ([number, { name }]) => isOwn(share, number) && (only === undefined || isNamed(name, only)),
  )
  await inTurn(own, workers, async ([number, { name, file, parts }]) => {
    if (!(await tried(String(number), `${name} (${file})`, parts, seed))) missed += 1
  })
  console.log(`mutants: ${own.length - missed} of ${own.length} were noticed, and not without them`)
  return missed
}
