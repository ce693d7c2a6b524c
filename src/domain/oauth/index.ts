export { createOauthApplications, type OauthApplications } from './applications.ts'
export type { OauthApplication } from '../../db/stores/oauth-application.store.ts'
