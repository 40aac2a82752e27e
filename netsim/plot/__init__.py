"""Pictures of results and bounds, by matplotlib: axes in and out, units on them, and more than colour to tell things
apart. Where no axes are given, pyplot makes new ones; text and backgrounds are the style's in force."""
