export { decodeBase64 } from './write/base64.ts'
