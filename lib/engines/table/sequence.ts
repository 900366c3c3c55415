import { key } from './keys.ts'
import { addToNumber } from './write.ts'

/** Numbers that a process takes with one write. A sequence has one key, so fewer writes keep it from getting hot. */
const BLOCK = 20

type Block = { next: number; end: number }
// prove: memory
const blocks = new Map<string, Promise<Block>>()

/**
 * The next number of a sequence. Each is given out once, whichever process asks. Numbers of two processes are not in the order of time.
 * Numbers that nobody uses, or that a process still has when it ends, leave harmless gaps.
 */
export async function nextNumber(name: string): Promise<number> {
  // Callers at the same moment wait for the same block.
  for (;;) {
    const waiting = blocks.get(name) ?? renew(name)
    const block = await waiting
    // prove: sequence-number
    if (block.next <= block.end) return block.next++
    if (blocks.get(name) === waiting) blocks.delete(name)
  }
}

function renew(name: string): Promise<Block> {
  const block = addToNumber(key.sequence(name), BLOCK).then((end) => ({ next: end - BLOCK + 1, end }))
  blocks.set(name, block)
  block.catch(() => blocks.delete(name))
  return block
}
