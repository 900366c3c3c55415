import { defineConfig } from 'vitest/config'
import { tracedFunctions } from './tests/harness/traces.ts'

export default defineConfig({
  plugins: [tracedFunctions()],
  test: {
    include: ['tests/**/*.test.ts'],
    // The runner itself has little to do while files run.
    maxWorkers: '100%',
    globalSetup: ['tests/harness/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
