import { defineConfig } from 'vitest/config'
import { actingFunctions } from './tests/harness/acting.ts'

export default defineConfig({
  plugins: [actingFunctions()],
  test: {
    include: ['tests/**/*.test.ts'],
    // The runner itself has little to do while files run.
    maxWorkers: '100%',
    globalSetup: ['tests/harness/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
