import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { actingFunctions } from './tests/harness/acting.ts'

export default defineConfig({
  plugins: [actingFunctions()],
  test: {
    include: ['tests/**/*.test.ts'],
    // One more than there are processors: now and then a file waits, for a process of its own or a while that is to pass.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['tests/harness/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
