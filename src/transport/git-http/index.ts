export { registerGitHttp, type GitHttpDeps } from './git-http.routes.ts'
