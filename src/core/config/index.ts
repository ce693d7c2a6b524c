export { type Config } from './schema.ts'
export { ConfigError, type Environment, isTlsOn, loadConfig } from './load.ts'
export { exampleConfig, showConfig } from './example.ts'
