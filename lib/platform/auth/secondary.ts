import { config } from '../../base/config.ts'
import type { Authenticator } from './authenticator.ts'
import { createVerifier, rememberIdentity } from './provider.ts'
import { claimsOf } from './shape.ts'

const { SECONDARY_ISSUER, SECONDARY_AUDIENCE, SECONDARY_JWKS_URL } = config

/** Accepts a JWT of the secondary issuer. Accepts nothing unless issuer, audience and keys are configured. */
export const secondary: Authenticator = async ({ token }) =>
  loadTokenOwner && claimsOf(token)?.iss === SECONDARY_ISSUER ? loadTokenOwner(token) : undefined

const loadTokenOwner =
  SECONDARY_ISSUER && SECONDARY_AUDIENCE && SECONDARY_JWKS_URL
    ? rememberIdentity('secondary', createVerifier(SECONDARY_JWKS_URL, [SECONDARY_ISSUER], SECONDARY_AUDIENCE))
    : undefined
