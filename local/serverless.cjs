// The framework reads variables from CommonJS files only; the tables themselves are TypeScript.
const { events } = require('./routes.ts')
const { roles } = require('./roles.ts')

module.exports.events = events

module.exports.roles = async ({ resolveVariable }) =>
  roles(`${await resolveVariable('self:service')}-${await resolveVariable('sls:stage')}`)
