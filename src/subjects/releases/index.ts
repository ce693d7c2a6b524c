export { insertRelease } from './release.store.ts'
export { cutTitle } from './releases.service.ts'
