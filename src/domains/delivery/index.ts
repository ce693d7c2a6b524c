export { webhookQueries } from './delivery.queries.ts'
