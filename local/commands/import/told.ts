import type { Import } from './desk.ts'

/** How to call the service by hand: its origin, and a header that signs in. */
export type TaskAddress = { base: string; as: string }

/** Lines that say what is done, what goes on in the background, and how to look at each import and withdraw it. */
export function describeImports(all: readonly Import[], { base, as }: TaskAddress): string[] {
  const going = all.filter((it) => it.progress)
  const done = all.filter((it) => !it.progress && it.state === 'done')
  const tried = all.filter((it) => !it.progress && it.state !== 'done')
  const at = (it: Import, task = '') => `${base}/data/imports/${it.id}/${task}`
  return [
    ...done.map(
      (it) => `Done: ${it.file_name}, ${madeBy(it)}. To withdraw what waits: ${curl(at(it, 'withdraw/'), as, 'POST')}`,
    ),
    ...tried.map((it) => `Nothing was written of ${it.file_name}: it was ${it.state}.`),
    ...going.flatMap((it) => [
      `In the background: ${it.file_name}, ${it.progress?.task} of row ${it.progress?.done} of ${it.progress?.of}. It goes on by itself.`,
      `  To look: ${curl(at(it), as)}`,
      `  To withdraw what waits, once it is done: ${curl(at(it, 'withdraw/'), as, 'POST')}`,
    ]),
  ]
}

const madeBy = ({ made }: Import) => `${made.created} created, ${made.amended} changed`
const curl = (url: string, as: string, method = 'GET') =>
  `curl ${method === 'GET' ? '' : `-X ${method} `}${url} -H '${as}'`
