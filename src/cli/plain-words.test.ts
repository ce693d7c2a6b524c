import { describe, expect, it } from 'vitest'
import { plainWords } from './failures.ts'

describe('messages of the contract on the command line', () => {
  it.each([
    ['[Email]: Email', '--email is not an e-mail address'],
    ['[Username]: invalid username', '--username: invalid username'],
    ['[Username]: MaxSize (at most 40 characters)', '--username is too long: at most 40 characters'],
    ['[ExpiresAt]: must be in the future', '--expires: must be in the future'],
    ['[Repositories]: MinSize', '--repositories must not be empty'],
    ['[Other]: Required', 'Other must not be empty'],
    ['PasswordIsRequired', '--password is missing or shorter than security.min_password_length'],
    ['user already exists [name: bob]', 'user already exists: bob'],
    ['there is no user bob', 'there is no user bob'],
  ])('%j becomes %j', (message, words) => expect(plainWords(message)).toBe(words))
})
