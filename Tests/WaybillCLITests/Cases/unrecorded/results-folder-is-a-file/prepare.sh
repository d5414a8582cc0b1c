touch results
