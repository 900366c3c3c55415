import type { Plain, View } from './view.ts'

/** Names that are taken are those of what is there, and the other way round. */
export function* uniqueNames(view: View): Iterable<string> {
  const claims: readonly [owner: string, claim: (it: Plain) => string | undefined, by: string][] = [
    // Several accounts may have one address, as long as none of them has proven it.
    ['user', (it) => (it.email_verified ? `EMAIL#${String(it.email).toLowerCase()}` : undefined), 'user_id'],
    ['user', (it) => `USERNAME#${String(it.username).toLowerCase()}`, 'user_id'],
    ['project', (it) => (it.deleted_at ? undefined : `SLUG#${it.slug}`), 'project_id'],
  ]
  for (const [type, claim, by] of claims)
    for (const it of view.of(type)) {
      const pk = claim(it)
      if (pk && view.at(pk)?.[by] !== it.id) yield `${pk} does not belong to ${type} ${it.id}`
    }
  for (const it of [...view.of('email'), ...view.of('username')])
    if (!view.at(`USER#${it.user_id}`)) yield `${it.pk} is taken by nobody`
  // Several assets may show one file; its number is that of the one with which it came.
  for (const it of view.of('media'))
    if (view.at(`PROJECT#${it.project_id}`, `ASSET#${it.asset_id}`)?.media !== it.media)
      yield `file ${it.media} is not with the asset that it came with`
  for (const it of view.of('comment_place')) {
    const found = view.partition(`THREAD#${it.thread}`).some((one) => one.type === 'comment' && one.id === it.id)
    if (!found) yield `comment ${it.id} is not where its place says`
  }
  for (const [record, all] of Map.groupBy(
    view
      .of('cluster')
      .flatMap((it) =>
        (it.members ?? []).map((member: Plain | string) => (typeof member === 'string' ? member : member.entity_id)),
      ),
    (it) => it,
  ))
    if (all.length > 1) yield `record ${record} is in ${all.length} clusters`
  for (const it of view.of('membership'))
    if (!view.at(`CLUSTER#${it.cluster_id}`)) yield `record ${it.entity_id} is in a cluster that is not there`
}
