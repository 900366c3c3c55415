/** Import this first: the routes read the configuration, and what it says must not depend on where the document is written. */
Object.assign(process.env, {
  STAGE: 'local',
  DEBUG: 'true',
  SERVICE_DEV_AUTH: 'true',
  TABLE_NAME: 'none',
  BUCKET_NAME: 'none',
  SECRET_KEY: 'never-used-to-sign-anything-0123456789',
})
