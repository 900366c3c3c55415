import type { Plain, View } from './view.ts'

/** What is announced to all reviewers, and what each of them has of it, reckoned from every single one. */

const inOrder = (view: View): readonly Plain[] => view.of('announcement').toSorted((a, b) => a.n - b.n)

const isWithheld = (user: string, span: Plain, it: Plain): boolean =>
  it.not_for.includes(user) || (it.n <= span.noted && it.happened_at < span.since)

/** Those that were announced while someone reviewed, each with whether it is for them. */
const within = (view: View, user: string) =>
  (view.at(`INBOX#${user}`)?.announced?.spans ?? []).flatMap((span: Plain) =>
    inOrder(view)
      .filter(({ n }) => n > span.from.n && (span.to === null || n <= span.to.n))
      .map((it) => ({ it, withheld: isWithheld(user, span, it) })),
  )

/** What was announced to someone. */
export const announcedTo = (view: View, user: string): readonly Plain[] =>
  within(view, user).flatMap(({ it, withheld }: { it: Plain; withheld: boolean }) => (withheld ? [] : [it]))

function* numbers(view: View): Iterable<string> {
  const end = view.at('ANNOUNCED')
  const by: Record<string, number> = {}
  let [n, id] = [0, '']
  for (const it of inOrder(view)) {
    n += 1
    by[it.notification_type] = (by[it.notification_type] ?? 0) + 1
    if (it.n !== n) yield `announcement ${it.notification_id} has the number ${it.n} instead of ${n}`
    if (it.notification_id <= id) yield `announcement ${it.n} has an id before that of the one before it`
    if (differ(it.by, by)) yield `announcement ${it.n} says that there were ${JSON.stringify(it.by)}`
    if (!view.at(`ANNOUNCED#OF#${it.notice}#${it.event}`)) yield `announcement ${it.n} may be made again`
    id = it.notification_id
  }
  if (n !== (end?.n ?? 0) || differ(end?.by ?? {}, by)) yield `there are ${n} announcements, and the end says ${end?.n}`
}

const differ = (some: Plain, others: Plain): boolean =>
  [...new Set([...Object.keys(some), ...Object.keys(others)])].some((type) => (some[type] ?? 0) !== (others[type] ?? 0))

const sizesOf = (some: readonly Plain[]): Plain =>
  Object.fromEntries([...Map.groupBy(some, (it) => it.notification_type)].map(([type, them]) => [type, them.length]))

function* reckoned(view: View, box: Plain): Iterable<string> {
  const { user_id: user, announced } = box
  const all: { it: Plain; withheld: boolean }[] = within(view, user)
  const apart = all.filter(({ withheld }) => withheld).map(({ it }) => it)
  const isMarked = (it: Plain) => {
    const part = String(Math.floor(it.n / 4096)).padStart(8, '0')
    const bits = view.at(`INBOX#${user}`, `READ#${part}`)?.bits[it.notification_type]
    return bits !== undefined && ((bits[(it.n % 4096) >> 3] >> (it.n % 8)) & 1) === 1
  }
  const passed = all.filter(({ it, withheld }) => it.n > announced.read_through.n && (withheld || isMarked(it)))
  if (differ(announced.withheld, sizesOf(apart)))
    yield `${apart.length} announcements are not for ${user}, and the inbox says ${JSON.stringify(announced.withheld)}`
  if (differ(announced.passed, sizesOf(passed.map(({ it }) => it))))
    yield `${passed.length} announcements are passed by ${user}, and the inbox says ${JSON.stringify(announced.passed)}`
  for (const it of apart)
    if (!view.at(`INBOX#${user}`, `WITHHELD#${it.notification_id}`))
      yield `it is not noted that announcement ${it.n} is not for ${user}`
  for (const { it } of all)
    if (it.not_for.includes(user) && announcedTo(view, user).includes(it)) yield `${user} is told of their own doing`
}

/** Announcements are numbered without gaps, and inboxes reckon with them rightly; who reviews, and nobody else, is told of the next. */
export function* announcements(view: View): Iterable<string> {
  yield* numbers(view)
  for (const box of view.of('inbox')) if (box.announced) yield* reckoned(view, box)
  if (!view.settled) return
  for (const it of view.of('user')) {
    const last = view.at(`INBOX#${it.id}`)?.announced?.spans.at(-1)
    const isTold = last !== undefined && last.to === null
    const reviews = it.is_active === true && it.reviewer_role?.is_active === true
    if (reviews !== isTold)
      yield `${it.username} ${reviews ? 'reviews' : 'does not review'}, and the inbox says otherwise`
  }
}
