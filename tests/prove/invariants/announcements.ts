import type { Plain, View } from './view.ts'

/** What is announced to all reviewers, and what each of them has of it, worked out from every single announcement. */

const inOrder = (view: View): readonly Plain[] =>
  view.of('announcement').toSorted((a, b) => (a.notification_id < b.notification_id ? -1 : 1))

/** What was announced to someone: what happened while they reviewed, but for their own doing. */
export const announcedTo = (view: View, user: string): readonly Plain[] =>
  inOrder(view).filter(
    (it) =>
      !it.not_for.includes(user) &&
      (view.at(`INBOX#${user}`)?.announced?.spans ?? []).some(
        ({ since, through }: Plain) => it.happened_at >= since && (through === null || it.notification_id <= through),
      ),
  )

function* ends(view: View): Iterable<string> {
  const end = view.at('ANNOUNCED')
  const all = inOrder(view)
  for (const it of all)
    if (!view.at(`ANNOUNCED#OF#${it.notice}#${it.event}`)) yield `announcement ${it.notification_id} may be made again`
  if (all.length !== (end?.n ?? 0)) yield `there are ${all.length} announcements, and the end says ${end?.n}`
  if ((all.at(-1)?.notification_id ?? '') !== (end?.last ?? '')) yield `the last announcement is not ${end?.last}`
}

/** Nobody has read, or been told of, what is not announced yet; every read mark names an announcement for its reader. */
function* inboxFaults(view: View, { user_id: user, announced }: Plain): Iterable<string> {
  const { last = '' } = view.at('ANNOUNCED') ?? {}
  if (announced.read_through > last) yield `${user} has read announcements up to ${announced.read_through}`
  const theirs = new Set(announcedTo(view, user).map((it) => it.notification_id))
  for (const mark of view.of('read_mark'))
    if (mark.user_id === user && !theirs.has(mark.notification_id))
      yield `${user} has read ${mark.notification_id}, which is not for them`
}

/** Announcements have one end; who reviews, and nobody else, is told of the next one. */
export function* announcements(view: View): Iterable<string> {
  yield* ends(view)
  for (const box of view.of('inbox')) if (box.announced) yield* inboxFaults(view, box)
  if (!view.settled) return
  for (const it of view.of('user')) {
    const last = view.at(`INBOX#${it.id}`)?.announced?.spans.at(-1)
    const isTold = last !== undefined && last.through === null
    const reviews = it.is_active === true && it.reviewer_role?.is_active === true
    if (reviews !== isTold)
      yield `${it.username} ${reviews ? 'reviews' : 'does not review'}, and the inbox says otherwise`
  }
}
