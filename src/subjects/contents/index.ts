export { decodeBase64 } from './base64.ts'
