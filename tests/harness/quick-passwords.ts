import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/**
 * A password is made to take long, 30 ms of a processor each time that someone signs in. Here it takes none: what it costs and
 * whose hash is read is told by tests/users/password.test.ts.
 */
const { argon2 } = crypto
const quickly: typeof argon2 = (algorithm, parameters, done) =>
  argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, done)
Object.assign(crypto, { argon2: quickly })
syncBuiltinESMExports()
