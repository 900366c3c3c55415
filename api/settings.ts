/** Import this first. The routes read the configuration, and the document must not depend on the machine that writes it. */
Object.assign(process.env, {
  STAGE: 'local',
  DEBUG: 'true',
  SERVICE_DEV_AUTH: 'true',
  TABLE_NAME: 'none',
  BUCKET_NAME: 'none',
  SECRET_KEY: 'never-used-to-sign-anything-0123456789',
})
