// The framework reads variables from CommonJS files only. The parts themselves are TypeScript.
const { caps } = require('./caps.ts')
const { copies } = require('./copies.ts')
const { front } = require('./edge.ts')
const { gateway } = require('./gateway.ts')
const { largeParts } = require('./large-parts.ts')
const { operations } = require('./operations.ts')
const { events, rest } = require('./routes.ts')
const { roles } = require('./roles.ts')
const { loadStage } = require('./stages.ts')

module.exports.events = { ...events, dispatcher: rest }

module.exports.stage = async ({ resolveVariable }) => loadStage(await resolveVariable('sls:stage'))

module.exports.roles = async ({ resolveVariable }) => {
  const { environment: shared } = await resolveVariable('self:provider')
  const functions = await resolveVariable('self:functions')
  return roles(
    await nameOf(resolveVariable),
    (name) => ({ ...shared, ...functions[name].environment }),
    Object.keys(functions),
    loadStage(await resolveVariable('sls:stage')).traces,
  )
}

module.exports.caps = async ({ resolveVariable }) => caps(loadStage(await resolveVariable('sls:stage')))

module.exports.largeParts = async ({ resolveVariable }) => largeParts(loadStage(await resolveVariable('sls:stage')))

module.exports.copies = async ({ resolveVariable }) =>
  copies(await nameOf(resolveVariable), loadStage(await resolveVariable('sls:stage')).copies)

module.exports.operations = async ({ resolveVariable }) =>
  operations(await nameOf(resolveVariable), loadStage(await resolveVariable('sls:stage')))

module.exports.gateway = async ({ resolveVariable }) =>
  gateway(await nameOf(resolveVariable), await resolveVariable('param:logDays'))

module.exports.front = async ({ resolveVariable }) => {
  const stage = loadStage(await resolveVariable('sls:stage'))
  return front(await nameOf(resolveVariable), { ...stage, secret: stage.edgeSecret })
}

const nameOf = async (resolveVariable) =>
  `${await resolveVariable('self:service')}-${await resolveVariable('sls:stage')}`
