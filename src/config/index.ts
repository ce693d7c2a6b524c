export { type Config, configSchema } from './schema.ts'
export { ConfigError, type ConfigSources, type Environment, loadConfig } from './load.ts'
export { exampleConfig, showConfig } from './example.ts'
