// Each test file has an emulator of its own, before its first import reads the address.
import { afterAll } from 'vitest'
import { removeGate } from './acting.ts'
import { serveTable } from './emulator.ts'

afterAll(removeGate)
afterAll(await serveTable())
