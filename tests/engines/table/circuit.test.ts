import { describe, expect, test } from 'vitest'
import { Circuit } from '../../../lib/engines/table/wire/circuit.ts'

function openCircuit() {
  let time = 0
  const circuit = new Circuit({ silences: 2, pauseMs: 1000, now: () => time })
  const silence = () => {
    expect(circuit.begin()).toBe(true)
    circuit.end('silent')
  }
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  return { circuit, silence, pass }
}

describe('a circuit', () => {
  test('lets calls through until two in a row had no reply', () => {
    const { circuit, silence } = openCircuit()
    silence()
    expect(circuit.begin()).toBe(true)
    circuit.end('heard')
    silence()
    silence()
    expect(circuit.begin()).toBe(false)
  })

  test('counts no failure that came at once', () => {
    const { circuit } = openCircuit()
    for (let n = 0; n < 5; n += 1) {
      expect(circuit.begin()).toBe(true)
      circuit.end('failed')
    }
  })

  test('lets one call through after the pause, and all others once that one had a reply', () => {
    const { circuit, silence, pass } = openCircuit()
    silence()
    silence()
    pass(999)
    expect(circuit.begin()).toBe(false)
    pass(1)
    expect([circuit.begin(), circuit.begin()]).toEqual([true, false])
    circuit.end('heard')
    expect([circuit.begin(), circuit.begin()]).toEqual([true, true])
  })

  test.each(['silent', 'failed'] as const)('begins the next pause if that call was %s', (ending) => {
    const { circuit, silence, pass } = openCircuit()
    silence()
    silence()
    pass(1000)
    expect(circuit.begin()).toBe(true)
    circuit.end(ending)
    expect(circuit.begin()).toBe(false)
    pass(1000)
    expect(circuit.begin()).toBe(true)
  })
})
