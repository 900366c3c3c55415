/**
 * The name that signs calls to emulators. Commands on this machine sign as `local`. In the local service each function signs with its
 * own name, so the stand-ins check its role.
 */
export const localSigner = { name: 'local' }

/** Credentials for emulators, which check no secret. A client calls this before its first call. */
export const localCredentials = async () => ({ accessKeyId: localSigner.name, secretAccessKey: 'local' })
