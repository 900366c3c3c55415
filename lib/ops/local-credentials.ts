/**
 * By whose name calls to emulators are signed. `local` is whoever runs a command on this machine; the local service has each
 * function sign with its own name, which is how it is held to its own role.
 */
export const localSigner = { name: 'local' }

/** Credentials for emulators; nobody checks the secret. Asked for with the first call of a client. */
export const localCredentials = async () => ({ accessKeyId: localSigner.name, secretAccessKey: 'local' })
