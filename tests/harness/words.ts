// Each test file compares names by the words of the field, also one that tests an engine alone.
import '../../lib/domain/search-words/name-words.ts'
