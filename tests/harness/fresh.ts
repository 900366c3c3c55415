// The files that one process runs share it. Each begins as the first does: with the environment of the run, and every module loaded anew.
import { vi } from 'vitest'
import { keptByProcess } from './kept.ts'

const { env, log } = keptByProcess('beginning', () => ({ env: { ...process.env }, log: console.log }))
for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
Object.assign(process.env, env)
console.log = log
vi.useRealTimers()
vi.unstubAllGlobals()
vi.resetModules()
