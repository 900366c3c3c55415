/**
 * The name that signs calls to emulators. `local` is whoever runs a command on this machine. The local service has each
 * function sign with its own name, and so holds it to its own role.
 */
export const localSigner = { name: 'local' }

/** Credentials for emulators; nobody checks the secret. Asked for with the first call of a client. */
export const localCredentials = async () => ({ accessKeyId: localSigner.name, secretAccessKey: 'local' })
