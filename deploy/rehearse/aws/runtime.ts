import type { FunctionFacts } from '../template.ts'
import { heard, type Instance, Processes, type Release, type Where } from './processes.ts'

/** Runs packages as Lambda does. */
export type Runtime = {
  /** `target` is the ARN by which it is called, with its alias. Without a release it is called as it is packaged. */
  invoke: (name: string, event: object, target: string, release?: Release) => Promise<unknown>
  /** Sets whether a function's process is killed at each event. */
  crash: (name: string, whenever: boolean) => void
  /** Ends the free processes of a function, so that its next call is a cold start. */
  cool: (name: string) => void
  /** Ends all processes of a function, at whatever they are. */
  kill: (name: string) => void
  stop: () => void
  /** Error lines that functions have written. */
  errors: string[]
}

/**
 * Each function's package runs in processes of its own, with its variables, memory and time limit. A process takes one event at a time
 * and is frozen between events. A call fails if the function exceeds its time, or its process ends.
 */
export async function startRuntime(functions: readonly FunctionFacts[], where: Where): Promise<Runtime> {
  const processes = new Processes(where)
  await processes.unpack(functions.map(({ name }) => name))
  const { errors } = processes
  const crashing = new Set<string>()
  let calls = 0
  return {
    errors,
    crash: (name, whenever) => void (whenever ? crashing.add(name) : crashing.delete(name)),
    cool: (name) => processes.cool(name),
    kill: (name) => processes.kill(name),
    stop: () => processes.stop(),
    invoke: async (name, event, target, release) => {
      const facts = functions.find((it) => it.name === name)
      if (!facts) throw new Error(`there is no function ${name}`)
      const instance = await processes.take({ ...facts, release })
      calls += 1
      instance.used = calls
      instance.child.kill('SIGCONT')
      try {
        return await call(instance, facts, event, target)
      } finally {
        instance.busy = false
        // Lambda freezes the process, with whatever still runs in it.
        instance.child.kill('SIGSTOP')
      }
    },
  }

  async function call({ child, used: id }: Instance, { name, timeout }: FunctionFacts, event: object, arn: string) {
    const late = setTimeout(() => {
      errors.push(`${name}: Task timed out after ${timeout} seconds`)
      child.kill('SIGKILL')
    }, timeout * 1000)
    try {
      child.send({ id, event, arn, until: Date.now() + timeout * 1000 })
      // Lambda logs the begin and the end of a call under the function's role.
      where.note(name, 'logs:PutLogEvents')
      if (crashing.has(name)) child.kill('SIGKILL')
      for (;;) {
        const reply = await heard(child)
        if (!reply) throw new Error(`${name} ended`)
        if (reply.id !== id) continue
        if (reply.error === undefined) return reply.result
        errors.push(`${name}: ${reply.error}`)
        throw new Error(reply.error)
      }
    } finally {
      clearTimeout(late)
    }
  }
}
