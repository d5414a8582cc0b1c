cp -R "$PROJECT/Tests/WaybillCLITests/Cases/report/junit/results" .
