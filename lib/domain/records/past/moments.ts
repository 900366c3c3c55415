import type { Actor } from '../../../platform/permissions.ts'
import type { History } from '../history.ts'
import { publicationsOf, revisionOfPublication, wasDeleted } from './publications.ts'
import { pastRow } from './record.ts'

/** Lists the moments at which a new state of a record became public, oldest first. States that this reader may not read are left out. */
export function publicMoments(today: History, actor: Actor | null): string[] {
  const moments = publicationsOf(today, today.decisions).flatMap((publication) => {
    const revision = revisionOfPublication(today.revisions, publication)
    const isReadable =
      revision && !wasDeleted(today, publication.at) && pastRow(today, { publication, revision }, actor)
    return isReadable ? [publication.at] : []
  })
  return [...new Set(moments)].sort()
}
