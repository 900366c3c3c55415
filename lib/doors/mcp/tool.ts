import type { GenericSchema, InferOutput } from 'valibot'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'

/** What a tool gets besides its inputs. `actor`: the caller. `reader`: the same, or null if their key lacks the scope `read`. */
export type ToolCall = {
  reader: Actor | null
  actor: Actor | null
  origin: string
  unit: UnitOfWork
  /** Counts a proposal of the caller. Fails with `tooMany` if the day's quota is used up. */
  countProposal: () => Promise<unknown>
}

/** A tool that machines may call. */
export type Tool<S extends GenericSchema = GenericSchema> = {
  name: string
  title: string
  /** What it does, what it takes, and what it answers: a machine chooses by these words. */
  description: string
  /** Whether it only reads. */
  reads: boolean
  inputs: S
  run: (inputs: InferOutput<S>, call: ToolCall) => Promise<object>
}

/** A text that machines read, in English alone. */
export const forMachines = (text: string): string => text

/** Declares a tool. Its inputs are checked by its schema before it runs. */
export const tool = <S extends GenericSchema>(it: Tool<S>): Tool => it as unknown as Tool
