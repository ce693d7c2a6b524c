export { NO_YAML, parseYaml } from './templates/yaml.ts'
export { decodeBase64 } from './write/base64.ts'
export { fromRefusal } from './write/file-writer.service.ts'
