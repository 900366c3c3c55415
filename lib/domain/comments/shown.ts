import { notFound } from '../../base/errors.ts'
import type { PageRequest } from '../../engines/table/index.ts'
import { type ListBody, listBody } from '../../platform/http/page.ts'
import type { Request } from '../../platform/http/request.ts'
import type { Actor } from '../../platform/permissions.ts'
import type { Comment, Thread } from './items.ts'
import { reactionKeys, reactionsTo } from './reactions.ts'
import { type CommentPage, listReplies, listThread, type ShownComment, showComment } from './threads.ts'
import { commentRow, type Row, type ThreadFrame } from './view.ts'

/** Comments as a reader sees them, for threads of records and of projects. */

/** A thread, with what its rows say of it. `at` is the path of its comments, without the origin. */
export type ShownThread = Pick<ThreadFrame, 'of' | 'at'> & { thread: Thread }
type Asked = { actor: Actor | null; request: Request }
type AskedPage = Asked & { page: PageRequest }

/** One page of the roots of a thread, newest first, with the first replies to each. */
export const showThread = async (it: ShownThread, asked: AskedPage): Promise<ListBody<Row>> =>
  showPage(it, await listThread(it.thread, asked.page, reactionKeys(it.thread, asked.actor)), asked)

/** One page of the replies to a root, oldest first. Fails with `notFound` for a comment that is a reply. */
export async function showReplies(it: ShownThread, root: Comment, asked: AskedPage): Promise<ListBody<Row>> {
  if (root.parent !== null) throw notFound()
  return showPage(it, await listReplies(root, asked.page, reactionKeys(it.thread, asked.actor)), asked)
}

/** A comment with the replies to it. */
export async function showInThread(it: ShownThread, comment: Comment, asked: Asked): Promise<Row> {
  const { branch, people, found } = await showComment(comment, reactionKeys(it.thread, asked.actor))
  return commentRow(branch, people, frameOf(it, found, asked))
}

function showPage(it: ShownThread, { people, results, found, ...listed }: CommentPage, asked: AskedPage) {
  const frame = frameOf(it, found, asked)
  return listBody(asked.request, asked.page, {
    ...listed,
    results: results.map((branch) => commentRow(branch, people, frame)),
  })
}

/** The parts that all rows of a thread share. */
const frameOf = ({ of, at }: ShownThread, found: ShownComment['found'], { actor, request }: Asked): ThreadFrame => ({
  of,
  at: `${request.origin}${at}`,
  reactions: (comment) => reactionsTo(comment, found, actor),
})
