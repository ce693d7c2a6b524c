export { createAccountRemoval, type AccountRemoval } from './remove-account.ts'
