// Package lessons is the catalogue of the lessons and their texts in every
// language.
//
// What belongs here: the order of the chapters, the texts (one Markdown file a
// lesson and language, under the ID of its scenario) and the reader of their
// format. What does not: the scenarios that the lessons tell about, running
// them, and showing either.
//
// # The format of a lesson
//
// A file has the title, the question that the lesson answers, five sections and
// the narration:
//
//	# Title
//
//	The question, in one paragraph.
//
//	## what
//
//	What happens.
//
//	## why
//
//	## instead
//
//	What to do instead.
//
//	## remember
//
//	- one to three points
//
//	## source
//
//	The incident, paper or document that it comes from, with its address.
//
//	## mark start
//
//	What is told before the first step.
//
//	## mark a-expires
//
//	What is told from this mark of the scenario on.
//
//	## mark a-expires variant=del,script
//
//	The same for some variants; it takes the place of the general text.
//
// The words behind ## are keys and the same in every language; what the reader
// sees instead comes from a table here.
package lessons
