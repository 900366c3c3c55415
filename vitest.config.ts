import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { actingFunctions } from './tests/harness/acting.ts'

/** Without times of an earlier run large files begin first. These are small and take long: in the end all would wait for them. */
const long = /\/(local\/(endurance|deploy|reload)|prove\/determinism|cache\/redis)\.test\.ts$/

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => Number(long.test(b.moduleId)) - Number(long.test(a.moduleId)))
  }
}

export default defineConfig({
  plugins: [actingFunctions()],
  test: {
    include: ['tests/**/*.test.ts'],
    // One more than there are processors: now and then a file waits, for a process of its own or a while that is to pass.
    maxWorkers: availableParallelism() + 1,
    // A process runs one file after the other, which saves a fifth of its time: it has compiled already what they share. `fresh.ts` comes first.
    isolate: false,
    // With room for young objects V8 looks for garbage less often: a tenth less of the processor.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    sequence: { sequencer: LongFirst, setupFiles: 'list' },
    globalSetup: ['tests/harness/setup.ts'],
    setupFiles: ['tests/harness/fresh.ts', 'tests/harness/own-emulator.ts', 'tests/harness/words.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
