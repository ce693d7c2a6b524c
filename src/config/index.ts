export { configSchema, type Config } from './schema.ts'
export { ConfigError, loadConfig, type ConfigSources, type Environment } from './load.ts'
export { exampleConfig, showConfig } from './example.ts'
